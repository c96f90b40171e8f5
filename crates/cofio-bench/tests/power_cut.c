// Makes the end of a process act like a power cut. Loaded with LD_PRELOAD by `it/power.rs`.
//
// When a process is killed, the kernel keeps what it wrote, synced or not: a store that never
// syncs would pass any test that only kills. So writes to databases and their logs stay here, in
// the memory of the process, until the file is synced. Reads, sizes and truncation answer as if
// they had been written, so the program notices nothing; SIGKILL then takes along what was not
// synced. A normal exit writes everything, as the kernel would.
//
// A disk may also write early and in any order, so one block in four goes there at once as well.
//
// Files are known by their inode, since all descriptors of a process see the same contents. With
// nothing held back a file is left to the kernel, so other processes see what was synced. Not
// covered: names of files (creation and removal act at once), memory maps (SQLite maps only the
// -shm file, which no recovery relies on), descriptors made by dup, and glibc before 2.33, where
// fstat has another name.

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "system calls are made as 64-bit Linux has them");

enum { BLOCK = 4096, DESCRIPTORS = 4096, EARLY_ONE_IN = 4 };

struct file {
    dev_t device;
    ino_t inode;     // 0 once the file is removed, because the number is used again
    int disk;        // ours, never closed: closing any descriptor would drop SQLite's locks
    int held;        // whether anything differs from the disk
    off_t size;      // as the program sees it; valid while something is held
    off_t kept;      // how much of what is on disk still belongs to the file
    size_t count;    // of blocks
    char **blocks;   // written since the last sync; null where nothing was
    struct file *next;
};

static struct file *files;
static struct file *open_files[DESCRIPTORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned seed;

// What cannot go on must not look like a power cut, so it leaves a word behind.
static void must(int holds) {
    static const char message[] = "power_cut.c: a system call or an allocation failed\n";
    if (holds) return;
    syscall(SYS_write, STDERR_FILENO, message, sizeof message - 1);
    abort();
}

static off_t smaller(off_t a, off_t b) { return a < b ? a : b; }

static int is_database(const char *path) {
    static const char *const endings[] = {".db", ".db-wal", ".db-journal"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length >= ending && strcmp(path + length - ending, endings[i]) == 0) return 1;
    }
    return 0;
}

static struct file *find(const struct stat *status) {
    struct file *file = files;
    while (file && (file->inode != status->st_ino || file->device != status->st_dev)) file = file->next;
    return file;
}

// --- What is held back -------------------------------------------------------------------------

static void hold(struct file *file) {
    if (file->held) return;
    struct stat status;
    must(syscall(SYS_fstat, file->disk, &status) == 0);
    file->size = file->kept = status.st_size;
    file->held = 1;
}

static void load(struct file *file, size_t index, char *block) {
    off_t start = (off_t)index * BLOCK, length = smaller(BLOCK, file->kept - start);
    memset(block, 0, BLOCK);
    if (length > 0) must(syscall(SYS_pread64, file->disk, block, length, start) == length);
}

static void store(struct file *file, size_t index) {
    off_t start = (off_t)index * BLOCK, length = smaller(BLOCK, file->size - start);
    must(syscall(SYS_pwrite64, file->disk, file->blocks[index], length, start) == length);
}

static char *held_block(struct file *file, size_t index) {
    if (index >= file->count) {
        size_t count = (index + 1) * 2;
        must((file->blocks = realloc(file->blocks, count * sizeof(char *))) != NULL);
        memset(file->blocks + file->count, 0, (count - file->count) * sizeof(char *));
        file->count = count;
    }
    if (!file->blocks[index]) {
        must((file->blocks[index] = malloc(BLOCK)) != NULL);
        load(file, index, file->blocks[index]);
    }
    return file->blocks[index];
}

static ssize_t read_held(struct file *file, char *buffer, size_t length, off_t offset) {
    if (offset >= file->size) return 0;
    length = smaller(length, file->size - offset);
    for (size_t done = 0, part; done < length; done += part) {
        size_t index = (offset + done) / BLOCK, within = (offset + done) % BLOCK;
        char unchanged[BLOCK], *block = index < file->count ? file->blocks[index] : NULL;
        if (!block) load(file, index, block = unchanged);
        part = smaller(BLOCK - within, length - done);
        memcpy(buffer + done, block + within, part);
    }
    return length;
}

static ssize_t write_held(struct file *file, const char *buffer, size_t length, off_t offset) {
    hold(file);
    if (offset + (off_t)length > file->size) file->size = offset + length;
    for (size_t done = 0, part; done < length; done += part) {
        size_t index = (offset + done) / BLOCK, within = (offset + done) % BLOCK;
        part = smaller(BLOCK - within, length - done);
        memcpy(held_block(file, index) + within, buffer + done, part);
        if (rand_r(&seed) % EARLY_ONE_IN == 0) store(file, index);
    }
    return length;
}

static void truncate_held(struct file *file, off_t size) {
    hold(file);
    for (size_t index = size / BLOCK; index < file->count; index++) {
        off_t start = (off_t)index * BLOCK;
        if (file->blocks[index] && start < size) {
            memset(file->blocks[index] + (size - start), 0, BLOCK - (size - start));
        } else {
            free(file->blocks[index]);
            file->blocks[index] = NULL;
        }
    }
    file->size = size;
    file->kept = smaller(file->kept, size);
}

static void release(struct file *file) {
    if (!file->held) return;
    must(syscall(SYS_ftruncate, file->disk, file->kept) == 0);
    for (size_t index = 0; index < file->count; index++) {
        if (file->blocks[index]) store(file, index);
        free(file->blocks[index]);
    }
    must(syscall(SYS_ftruncate, file->disk, file->size) == 0);
    free(file->blocks);
    file->blocks = NULL;
    file->count = 0;
    file->held = 0;
}

__attribute__((constructor)) static void begin(void) { seed = getpid(); }

__attribute__((destructor)) static void end(void) {
    pthread_mutex_lock(&lock);
    for (struct file *file = files; file; file = file->next) release(file);
    pthread_mutex_unlock(&lock);
}

// --- What the program calls --------------------------------------------------------------------

static struct file *enter(int descriptor) {
    pthread_mutex_lock(&lock);
    struct file *file = descriptor >= 0 && descriptor < DESCRIPTORS ? open_files[descriptor] : NULL;
    if (!file) pthread_mutex_unlock(&lock);
    return file;
}

static long leave(long result) {
    pthread_mutex_unlock(&lock);
    return result;
}

static struct file *known(int descriptor, const char *path) {
    struct stat status;
    must(descriptor < DESCRIPTORS && syscall(SYS_fstat, descriptor, &status) == 0);
    struct file *file = find(&status);
    int disk = file ? -1 : syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (disk < 0) return file;
    must((file = calloc(1, sizeof *file)) != NULL);
    *file = (struct file){status.st_dev, status.st_ino, disk, .next = files};
    return files = file;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int creates = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    int descriptor = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor < 0 || !is_database(path)) return descriptor;
    pthread_mutex_lock(&lock);
    struct file *file = open_files[descriptor] = known(descriptor, path);
    if (file && file->held && flags & O_TRUNC) truncate_held(file, 0);
    return leave(descriptor);
}

int close(int descriptor) {
    if (!enter(descriptor)) return syscall(SYS_close, descriptor);
    open_files[descriptor] = NULL;
    return leave(syscall(SYS_close, descriptor));
}

int unlink(const char *path) {
    struct stat status;
    pthread_mutex_lock(&lock);
    int found = syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
    long result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    struct file *file = found && result == 0 && status.st_nlink == 1 ? find(&status) : NULL;
    if (file) file->inode = 0;
    return leave(result);
}

ssize_t pread(int descriptor, void *buffer, size_t length, off_t offset) {
    struct file *file = enter(descriptor);
    if (!file) return syscall(SYS_pread64, descriptor, buffer, length, offset);
    if (file->held) return leave(read_held(file, buffer, length, offset));
    return leave(syscall(SYS_pread64, descriptor, buffer, length, offset));
}

ssize_t read(int descriptor, void *buffer, size_t length) {
    struct file *file = enter(descriptor);
    if (!file) return syscall(SYS_read, descriptor, buffer, length);
    if (!file->held) return leave(syscall(SYS_read, descriptor, buffer, length));
    ssize_t done = read_held(file, buffer, length, syscall(SYS_lseek, descriptor, 0, SEEK_CUR));
    syscall(SYS_lseek, descriptor, done, SEEK_CUR);
    return leave(done);
}

ssize_t pwrite(int descriptor, const void *buffer, size_t length, off_t offset) {
    struct file *file = enter(descriptor);
    if (!file) return syscall(SYS_pwrite64, descriptor, buffer, length, offset);
    return leave(write_held(file, buffer, length, offset));
}

ssize_t write(int descriptor, const void *buffer, size_t length) {
    struct file *file = enter(descriptor);
    if (!file) return syscall(SYS_write, descriptor, buffer, length);
    write_held(file, buffer, length, syscall(SYS_lseek, descriptor, 0, SEEK_CUR));
    syscall(SYS_lseek, descriptor, length, SEEK_CUR);
    return leave(length);
}

int ftruncate(int descriptor, off_t size) {
    struct file *file = enter(descriptor);
    if (!file) return syscall(SYS_ftruncate, descriptor, size);
    truncate_held(file, size);
    return leave(0);
}

int fsync(int descriptor) {
    struct file *file = enter(descriptor);
    if (!file) return syscall(SYS_fsync, descriptor);
    release(file);
    return leave(syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) { return fsync(descriptor); }

int fstat(int descriptor, struct stat *status) {
    int result = syscall(SYS_fstat, descriptor, status);
    struct file *file = result == 0 ? enter(descriptor) : NULL;
    if (!file) return result;
    if (file->held) status->st_size = file->size;
    return leave(0);
}

int stat(const char *path, struct stat *status) {
    int result = syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
    pthread_mutex_lock(&lock);
    struct file *file = result == 0 ? find(status) : NULL;
    if (file && file->held) status->st_size = file->size;
    return leave(result);
}

// On 64-bit Linux these are the same functions under their other names.
int open64(const char *, int, ...) __attribute__((alias("open")));
ssize_t pread64(int, void *, size_t, off_t) __attribute__((alias("pread")));
ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));
int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));
int fstat64(int descriptor, struct stat64 *status) { return fstat(descriptor, (struct stat *)status); }
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
