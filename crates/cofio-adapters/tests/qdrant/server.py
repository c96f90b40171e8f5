"""Qdrant's own engine behind Qdrant's own gRPC, for tests on this machine alone.

    python server.py PORT FOLDER [KEY]

The engine (qdrant-edge) keeps points in FOLDER, filters, compares and orders them; the messages are
those of Qdrant's client. This program does what the engine leaves to a server: it knows collections by
their names, turns messages into calls and asks for the key. What it has answered is in the engine's log,
and every few seconds on disk, as Qdrant does it.
Whatever it does not know it refuses, rather than to leave it out. With a KEY, whoever does not send it
is refused. Of TLS, clusters, snapshots, aliases, groups and optimisation in the background it has nothing.
"""

import json
import os
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from urllib.parse import quote, unquote

import grpc
import qdrant_edge as engine
from qdrant_client import grpc as wire

PORT, FOLDER = int(sys.argv[1]), sys.argv[2]
KEY = sys.argv[3] if len(sys.argv) > 3 else None
DATA = os.path.join(FOLDER, "collections")
VERSION = f"qdrant-edge {version('qdrant-edge-py')} behind Qdrant's gRPC"
# As Qdrant has it if nothing else is said.
FLUSH_SECONDS = 5
# The engine wants some sort of vector in every collection; of this sort no point has any.
NO_VECTORS = {"none": engine.EdgeSparseVectorParams()}
DISTANCES = {
    wire.Distance.Cosine: engine.Distance.Cosine,
    wire.Distance.Dot: engine.Distance.Dot,
    wire.Distance.Euclid: engine.Distance.Euclid,
}


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def unknown(what):
    return Refused(grpc.StatusCode.UNIMPLEMENTED, f"this server knows no {what}")


def invalid(message):
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, message)


class Collection:
    """A shard of the engine, with what it was made from."""

    def __init__(self, folder, made):
        self.lock = threading.Lock()
        self.changed = False
        self.made = made
        self.folder = folder
        place = os.path.join(folder, "shard")
        if os.path.exists(os.path.join(folder, "ready")):
            self.shard = engine.EdgeShard.load(place)
            return
        # What was not finished when the program ended is nobody's.
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        self.shard = engine.EdgeShard.create(place, config(made))
        self.shard.flush()
        write(os.path.join(folder, "ready"), "")

    def update(self, *operations):
        with self.lock:
            for operation in operations:
                self.shard.update(operation)
            self.changed = True

    def flush(self):
        with self.lock:
            if self.changed:
                self.shard.flush()
                self.changed = False


def config(made):
    if made["size"] is None:
        return engine.EdgeConfig(sparse_vectors=NO_VECTORS)
    parameters = engine.EdgeVectorParams(size=made["size"], distance=DISTANCES[made["distance"]])
    return engine.EdgeConfig(vectors=parameters)


def write(path, text):
    """Writes a file so that it is there as a whole or not at all."""
    with open(path + ".new", "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


COLLECTIONS = {}
LOCK = threading.Lock()


def opened():
    os.makedirs(DATA, exist_ok=True)
    for name in os.listdir(DATA):
        folder = os.path.join(DATA, name)
        about = os.path.join(folder, "made.json")
        if not os.path.exists(about):
            shutil.rmtree(folder)
            continue
        with open(about) as file:
            COLLECTIONS[unquote(name)] = Collection(folder, json.load(file))


def find(name):
    with LOCK:
        found = COLLECTIONS.get(name)
    if found is None:
        raise Refused(grpc.StatusCode.NOT_FOUND, f"Not found: Collection `{name}` doesn't exist!")
    return found


def value(told):
    """Turns a value of the messages into one of the engine."""
    kind = told.WhichOneof("kind")
    if kind in (None, "null_value"):
        return None
    if kind == "struct_value":
        return {name: value(field) for name, field in told.struct_value.fields.items()}
    if kind == "list_value":
        return [value(entry) for entry in told.list_value.values]
    return getattr(told, kind)


def told(found):
    """Turns a value of the engine into one of the messages."""
    if found is None:
        return wire.Value(null_value=wire.NULL_VALUE)
    if isinstance(found, bool):
        return wire.Value(bool_value=found)
    if isinstance(found, int):
        return wire.Value(integer_value=found)
    if isinstance(found, float):
        return wire.Value(double_value=found)
    if isinstance(found, str):
        return wire.Value(string_value=found)
    if isinstance(found, list):
        return wire.Value(list_value=wire.ListValue(values=[told(entry) for entry in found]))
    fields = {name: told(field) for name, field in found.items()}
    return wire.Value(struct_value=wire.Struct(fields=fields))


def payload(fields):
    return {name: value(field) for name, field in fields.items()}


def identity(point):
    return getattr(point, point.WhichOneof("point_id_options"))


def point_id(found):
    if isinstance(found, int):
        return wire.PointId(num=found)
    return wire.PointId(uuid=str(found))


def condition(asked):
    kind = asked.WhichOneof("condition_one_of")
    if kind == "field":
        return field(asked.field)
    if kind == "has_id":
        return engine.HasIdCondition({identity(point) for point in asked.has_id.has_id})
    if kind == "filter":
        return filtered(asked.filter)
    raise unknown(f"condition {kind}")


def field(asked):
    names = {part.name for part, _ in asked.ListFields()} - {"key"}
    if names == {"match"}:
        return engine.FieldCondition(asked.key, match=match(asked.match))
    if names == {"range"}:
        ends = {part.name: end for part, end in asked.range.ListFields()}
        return engine.FieldCondition(asked.key, range=engine.RangeFloat(**ends))
    raise unknown(f"condition {sorted(names)}")


def match(asked):
    kind = asked.WhichOneof("match_value")
    if kind in ("keyword", "integer", "boolean"):
        return engine.MatchValue(getattr(asked, kind))
    if kind == "keywords":
        return engine.MatchAny(list(asked.keywords.strings))
    raise unknown(f"match {kind}")


def filtered(asked):
    """Turns a filter of the messages into one of the engine."""
    if asked.HasField("min_should"):
        raise unknown("min_should")
    parts = {name: getattr(asked, name) for name in ("must", "should", "must_not")}
    return engine.Filter(**{name: [condition(one) for one in all] for name, all in parts.items() if all})


def filter_of(request):
    return filtered(request.filter) if request.HasField("filter") else None


def with_payload(request):
    asked = request.with_payload
    kind = asked.WhichOneof("selector_options")
    if kind == "include":
        return list(asked.include.fields)
    if kind == "exclude":
        raise unknown("exclude")
    return asked.enable


def with_vectors(request):
    if request.with_vectors.WhichOneof("selector_options") == "include":
        raise unknown("names of vectors")
    return request.with_vectors.enable


def vector_of(point):
    kind = point.vectors.WhichOneof("vectors_options")
    if kind == "vector":
        return dense(point.vectors.vector)
    if kind == "vectors" and not point.vectors.vectors.vectors:
        return {}
    raise unknown(f"sort of vectors {kind}")


def dense(vector):
    if vector.WhichOneof("vector") == "dense":
        return list(vector.dense.data)
    if vector.WhichOneof("vector") is None and vector.data:
        return list(vector.data)
    raise unknown("vectors but dense ones")


def vectors_told(found):
    if not isinstance(found, list):
        return None
    return wire.VectorsOutput(vector=wire.VectorOutput(dense=wire.DenseVector(data=found)))


def retrieved(record):
    fields = {name: told(field) for name, field in (record.payload or {}).items()}
    vectors = vectors_told(record.vector)
    return wire.RetrievedPoint(id=point_id(record.id), payload=fields, vectors=vectors)


def scored(point):
    fields = {name: told(field) for name, field in (point.payload or {}).items()}
    vectors = vectors_told(point.vector)
    return wire.ScoredPoint(
        id=point_id(point.id), payload=fields, score=point.score, version=point.version, vectors=vectors
    )


def upsert(points):
    made = [engine.Point(identity(point.id), vector_of(point), payload(point.payload)) for point in points]
    return engine.UpdateOperation.upsert_points(made)


def delete(selector):
    operations = engine.UpdateOperation
    if selector.WhichOneof("points_selector_one_of") == "points":
        return operations.delete_points([identity(point) for point in selector.points.ids])
    return operations.delete_points_by_filter(filtered(selector.filter))


def operation(asked):
    kind = asked.WhichOneof("operation")
    if kind == "upsert":
        return upsert(asked.upsert.points)
    if kind == "delete_points":
        return delete(asked.delete_points.points)
    raise unknown(f"operation {kind}")


COMPLETED = wire.UpdateResult(status=wire.UpdateStatus.Completed)


def keep_flushing():
    while True:
        time.sleep(FLUSH_SECONDS)
        with LOCK:
            collections = list(COLLECTIONS.values())
        for collection in collections:
            try:
                collection.flush()
            except Exception as error:
                # It stays in the log, and is tried again.
                print(f"cannot flush {collection.folder}: {error}", file=sys.stderr)


class Points(wire.PointsServicer):
    def Upsert(self, request, context):
        collection = find(request.collection_name)
        for point in request.points:
            vector = vector_of(point)
            if vector and len(vector) != collection.made["size"]:
                raise invalid(f"expected dim: {collection.made['size']}, got {len(vector)}")
        collection.update(upsert(request.points))
        return wire.PointsOperationResponse(result=COMPLETED)

    def Delete(self, request, context):
        find(request.collection_name).update(delete(request.points))
        return wire.PointsOperationResponse(result=COMPLETED)

    def UpdateBatch(self, request, context):
        find(request.collection_name).update(*map(operation, request.operations))
        return wire.UpdateBatchResponse(result=[COMPLETED for _ in request.operations])

    def CreateFieldIndex(self, request, context):
        parameters = request.field_index_params.keyword_index_params
        if request.field_type == wire.FieldType.FieldTypeKeyword:
            schema = engine.KeywordIndexParams(is_tenant=parameters.is_tenant)
        elif request.field_type == wire.FieldType.FieldTypeInteger:
            schema = engine.IntegerIndexParams(lookup=True, range=True)
        else:
            raise unknown("index of this sort")
        collection = find(request.collection_name)
        collection.update(engine.UpdateOperation.create_field_index(request.field_name, schema))
        return wire.PointsOperationResponse(result=COMPLETED)

    def Get(self, request, context):
        collection = find(request.collection_name)
        ids = [identity(point) for point in request.ids]
        with collection.lock:
            found = collection.shard.retrieve(ids, with_payload(request), with_vectors(request))
        return wire.GetResponse(result=map(retrieved, found))

    def Scroll(self, request, context):
        if request.HasField("order_by"):
            raise unknown("order_by")
        collection = find(request.collection_name)
        scroll = engine.ScrollRequest(
            offset=identity(request.offset) if request.HasField("offset") else None,
            limit=request.limit if request.HasField("limit") else 10,
            filter=filter_of(request),
            with_payload=with_payload(request),
            with_vector=with_vectors(request),
        )
        with collection.lock:
            found, following = collection.shard.scroll(scroll)
        offset = None if following is None else point_id(following)
        return wire.ScrollResponse(result=map(retrieved, found), next_page_offset=offset)

    def Query(self, request, context):
        if request.query.WhichOneof("variant") != "nearest":
            raise unknown("query of this sort")
        if request.prefetch or request.HasField("using") or request.HasField("score_threshold"):
            raise unknown("prefetch, using and score_threshold")
        collection = find(request.collection_name)
        vector = list(request.query.nearest.dense.data)
        if len(vector) != collection.made["size"]:
            raise invalid(f"expected dim: {collection.made['size']}, got {len(vector)}")
        asked = request.params
        ef = asked.hnsw_ef if asked.HasField("hnsw_ef") else None
        query = engine.QueryRequest(
            limit=request.limit if request.HasField("limit") else 10,
            offset=request.offset,
            query=engine.Query.Nearest(vector),
            filter=filter_of(request),
            params=engine.SearchParams(hnsw_ef=ef, exact=asked.exact),
            with_payload=with_payload(request),
            with_vector=with_vectors(request),
        )
        with collection.lock:
            found = collection.shard.query(query)
        return wire.QueryResponse(result=map(scored, found))


class Collections(wire.CollectionsServicer):
    def List(self, request, context):
        with LOCK:
            names = sorted(COLLECTIONS)
        return wire.ListCollectionsResponse(
            collections=[wire.CollectionDescription(name=name) for name in names]
        )

    def Get(self, request, context):
        collection = find(request.collection_name)
        with collection.lock:
            info = collection.shard.info()
        made = collection.made
        vectors = None
        if made["size"] is not None:
            parameters = wire.VectorParams(size=made["size"], distance=made["distance"])
            vectors = wire.VectorsConfig(params=parameters)
        schema = {name: wire.PayloadSchemaInfo(points=index.points) for name, index in info.payload_schema.items()}
        return wire.GetCollectionInfoResponse(
            result=wire.CollectionInfo(
                status=wire.CollectionStatus.Green,
                optimizer_status=wire.OptimizerStatus(ok=True),
                segments_count=info.segments_count,
                points_count=info.points_count,
                indexed_vectors_count=info.indexed_vectors_count,
                config=wire.CollectionConfig(params=wire.CollectionParams(vectors_config=vectors)),
                payload_schema=schema,
            )
        )

    def Create(self, request, context):
        made = {"size": None, "distance": None}
        kind = request.vectors_config.WhichOneof("config")
        if kind == "params_map" and request.vectors_config.params_map.map:
            raise unknown("names of vectors")
        if kind == "params":
            parameters = request.vectors_config.params
            made = {"size": parameters.size, "distance": parameters.distance}
            if parameters.distance not in DISTANCES:
                raise unknown("distance of this sort")
        name = request.collection_name
        with LOCK:
            if name in COLLECTIONS:
                raise invalid(f"Wrong input: Collection `{name}` already exists!")
            folder = os.path.join(DATA, quote(name, safe=""))
            os.makedirs(folder, exist_ok=True)
            write(os.path.join(folder, "made.json"), json.dumps(made))
            COLLECTIONS[name] = Collection(folder, made)
        return wire.CollectionOperationResponse(result=True)

    def Delete(self, request, context):
        with LOCK:
            collection = COLLECTIONS.pop(request.collection_name, None)
        if collection is not None:
            with collection.lock:
                collection.changed = False
                collection.shard.close()
                shutil.rmtree(collection.folder)
        return wire.CollectionOperationResponse(result=collection is not None)


class Health(wire.QdrantServicer):
    def HealthCheck(self, request, context):
        return wire.HealthCheckReply(title="qdrant - vector search engine", version=VERSION)


class Door(grpc.ServerInterceptor):
    """Asks everybody for the key, and tells why something failed."""

    def intercept_service(self, continuation, details):
        handler = continuation(details)
        if handler is None:
            return None
        allowed = KEY is None or ("api-key", KEY) in details.invocation_metadata

        def answer(request, context):
            if not allowed:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "Invalid API key or JWT")
            try:
                return handler.unary_unary(request, context)
            except Refused as error:
                refusal = (error.code, str(error))
            context.abort(*refusal)

        return grpc.unary_unary_rpc_method_handler(
            answer, handler.request_deserializer, handler.response_serializer
        )


if __name__ == "__main__":
    opened()
    options = [("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)]
    server = grpc.server(ThreadPoolExecutor(8), interceptors=[Door()], options=options)
    wire.add_PointsServicer_to_server(Points(), server)
    wire.add_CollectionsServicer_to_server(Collections(), server)
    wire.add_QdrantServicer_to_server(Health(), server)
    if server.add_insecure_port(f"127.0.0.1:{PORT}") != PORT:
        sys.exit(f"port {PORT} is taken")
    server.start()
    threading.Thread(target=keep_flushing, daemon=True).start()
    server.wait_for_termination()
