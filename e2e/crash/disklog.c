// Records the changes of a process to one folder, so that a test can compute the disk after a power cut.
//
// LD_PRELOAD=disklog.so DISKLOG_ROOT=/folder DISKLOG_FILE=/log DISKLOG_SEQ=/counter
//
// Each call that changes a file or a name below DISKLOG_ROOT runs first and is then appended to DISKLOG_FILE as a
// record for disk.ts. A record gets its number when the call has ended. A sync also stores the last number at its
// start, because it surely covers only calls that had ended by then. All processes share the counter. Calls inside libc
// (stdio) and writes to mapped memory are not recorded. The test fails if the folder differs from the log.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE, SYNC, LINK, UNLINK, RENAME, EXTEND, SYNCALL, SEEN };

struct record {
  uint32_t magic, op;
  uint64_t seq, ns, a, b, offset, length, start;
  uint32_t name1, name2, data, kind;
};

/** Calls the kernel directly, because the layer also intercepts syscall() of libc. */
static long kernel(long number, long a, long b, long c, long d, long e, long f) {
  long answer;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  answer = x0;
#else
#error "x86-64 and arm64 only"
#endif
  if (answer < 0 && answer > -4096) {
    errno = -answer;
    return -1;
  }
  return answer;
}
#define K6(n, a, b, c, d, e, f, ...) kernel(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define sys(...) K6(__VA_ARGS__, 0, 0, 0, 0, 0, 0)

#define FDS 65536
static unsigned char tracked[FDS];
static char root[PATH_MAX];
static size_t rootLength;
static int out = -1;
static _Atomic uint64_t *counter;

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("DISKLOG_ROOT"), *file = getenv("DISKLOG_FILE"), *seq = getenv("DISKLOG_SEQ");
  if (!folder || !file || !seq || !realpath(folder, root)) return;
  rootLength = strlen(root);
  int fd = sys(SYS_openat, AT_FDCWD, seq, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (sys(SYS_ftruncate, fd, 4096) != 0) return;
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  sys(SYS_close, fd);
  if (page == MAP_FAILED) return;
  counter = page;
  // A file descriptor that the program is unlikely to close by mistake.
  int log = sys(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  out = sys(SYS_fcntl, log, F_DUPFD_CLOEXEC, 900);
  if (out >= 0) sys(SYS_close, log);
  else out = log;
}

static uint64_t nowNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(struct record *r, const char *n1, const char *n2, const struct iovec *data, int parts, size_t bytes) {
  if (out < 0) return;
  int kept = errno;
  r->magic = 0x4b534944;
  r->name1 = n1 ? strlen(n1) : 0;
  r->name2 = n2 ? strlen(n2) : 0;
  r->data = bytes;
  // Read the time first: then calls that start after this time have higher numbers.
  r->ns = nowNs();
  r->seq = atomic_fetch_add(counter, 1) + 1;
  struct iovec v[1100];
  int n = 0;
  v[n++] = (struct iovec){r, sizeof *r};
  if (r->name1) v[n++] = (struct iovec){(void *)n1, r->name1};
  if (r->name2) v[n++] = (struct iovec){(void *)n2, r->name2};
  size_t left = bytes;
  for (int i = 0; i < parts && left > 0 && n < 1024; i++) {
    size_t take = data[i].iov_len < left ? data[i].iov_len : left;
    if (take == 0) continue;
    v[n++] = (struct iovec){data[i].iov_base, take};
    left -= take;
  }
  sys(SYS_writev, out, v, n); // one call on an O_APPEND file: records of several processes don't mix
  errno = kept;
}

static int below(const char *path) {
  return strncmp(path, root, rootLength) == 0 && (path[rootLength] == '/' || path[rootLength] == 0);
}

/** Whether the path of a call is below the root. Resolves relative paths by their folder. */
static int inside(int dirfd, const char *path) {
  if (out < 0 || !path) return 0;
  if (path[0] == '/') return below(path) && !strstr(path, "/../");
  char link[64], target[PATH_MAX];
  if (dirfd == AT_FDCWD) return getcwd(target, sizeof target) && below(target);
  if (dirfd >= 0 && dirfd < FDS && tracked[dirfd]) return 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
  ssize_t n = readlink(link, target, sizeof target - 1);
  if (n < 0) return 0;
  target[n] = 0;
  return below(target);
}

static int isTracked(int fd) { return out >= 0 && fd >= 0 && fd < FDS && tracked[fd]; }

static uint64_t inodeOf(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 ? s.st_ino : 0;
}

static uint64_t inodeAt(int dirfd, const char *path) {
  struct stat s;
  return fstatat(dirfd, path, &s, AT_SYMLINK_NOFOLLOW) == 0 ? s.st_ino : 0;
}

/** Returns the inode of the folder of `path`, and stores the last part of the path in `name`. */
static uint64_t parentOf(int dirfd, const char *path, char *name) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s", path);
  size_t n = strlen(copy);
  while (n > 1 && copy[n - 1] == '/') copy[--n] = 0;
  char *slash = strrchr(copy, '/');
  snprintf(name, NAME_MAX + 1, "%s", slash ? slash + 1 : copy);
  struct stat s;
  if (!slash) return dirfd == AT_FDCWD ? (stat(".", &s) == 0 ? s.st_ino : 0) : inodeOf(dirfd);
  *slash = 0;
  return fstatat(dirfd, slash == copy ? "/" : copy, &s, 0) == 0 ? s.st_ino : 0;
}

static void linked(int dirfd, const char *path, uint32_t kind, const char *target) {
  char name[NAME_MAX + 1];
  struct record r = {.op = LINK, .kind = kind};
  r.a = parentOf(dirfd, path, name);
  r.b = inodeAt(dirfd, path);
  put(&r, name, target, NULL, 0, 0);
}

static void wrote(int fd, off_t offset, const struct iovec *v, int n, ssize_t bytes) {
  if (bytes <= 0) return;
  struct record r = {.op = WRITE, .a = inodeOf(fd), .offset = offset, .length = bytes};
  put(&r, NULL, NULL, v, n, bytes);
}

static void sized(uint32_t op, uint64_t inode, uint64_t length) {
  struct record r = {.op = op, .a = inode, .length = length};
  put(&r, NULL, NULL, NULL, 0, 0);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int opened(const char *which, int dirfd, const char *path, int flags, mode_t mode) {
  (void)which;
  int in = inside(dirfd, path);
  struct stat before;
  int there = in && fstatat(dirfd, path, &before, 0) == 0;
  int fd = sys(SYS_openat, dirfd, path, flags, mode);
  if (fd < 0) return fd;
  if (fd < FDS) tracked[fd] = in;
  if (!in) return fd;
  int kept = errno;
  if ((flags & O_CREAT) && !there) linked(dirfd, path, 0, NULL);
  if ((flags & O_TRUNC) && there && before.st_size > 0 && S_ISREG(before.st_mode)) sized(TRUNCATE, before.st_ino, 0);
  errno = kept;
  return fd;
}

#define MODE(last) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { va_list l; va_start(l, last); mode = va_arg(l, mode_t); va_end(l); }

int open(const char *path, int flags, ...) { MODE(flags) return opened("open", AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened("open64", AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int d, const char *path, int flags, ...) { MODE(flags) return opened("openat", d, path, flags, mode); }
int openat64(int d, const char *path, int flags, ...) { MODE(flags) return opened("openat64", d, path, flags | O_LARGEFILE, mode); }
int __open_2(const char *path, int flags) { return opened("open", AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened("open", AT_FDCWD, path, flags, 0); }
int __openat_2(int d, const char *path, int flags) { return opened("open", d, path, flags, 0); }
int __openat64_2(int d, const char *path, int flags) { return opened("open", d, path, flags, 0); }
int creat(const char *path, mode_t mode) { return opened("creat", AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int fd) {
  if (fd >= 0 && fd < FDS) tracked[fd] = 0;
  return sys(SYS_close, fd);
}

int dup(int fd) {
  int made = sys(SYS_dup, fd);
  if (made >= 0 && made < FDS && fd < FDS) tracked[made] = tracked[fd];
  return made;
}
int dup2(int fd, int to) {
  REAL(int, "dup2", int, int);
  int made = real(fd, to);
  if (made >= 0 && made < FDS && fd < FDS) tracked[made] = tracked[fd];
  return made;
}
int dup3(int fd, int to, int flags) {
  int made = sys(SYS_dup3, fd, to, flags);
  if (made >= 0 && made < FDS && fd < FDS) tracked[made] = tracked[fd];
  return made;
}

/** Records a write without an offset. It ended at the current position of the file. */
static void wroteHere(int fd, const struct iovec *v, int n, ssize_t bytes) {
  if (bytes <= 0 || !isTracked(fd)) return;
  off_t end = lseek(fd, 0, SEEK_CUR);
  if (end >= bytes) wrote(fd, end - bytes, v, n, bytes);
}

ssize_t write(int fd, const void *data, size_t count) {
  ssize_t n = sys(SYS_write, fd, data, count);
  struct iovec v = {(void *)data, count};
  wroteHere(fd, &v, 1, n);
  return n;
}
ssize_t writev(int fd, const struct iovec *v, int parts) {
  ssize_t n = sys(SYS_writev, fd, v, parts);
  wroteHere(fd, v, parts, n);
  return n;
}
ssize_t pwrite64(int fd, const void *data, size_t count, off_t offset) {
  ssize_t n = sys(SYS_pwrite64, fd, data, count, offset);
  struct iovec v = {(void *)data, count};
  if (isTracked(fd)) wrote(fd, offset, &v, 1, n);
  return n;
}
ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) { return pwrite64(fd, data, count, offset); }
ssize_t pwritev64(int fd, const struct iovec *v, int parts, off_t offset) {
  ssize_t n = sys(SYS_pwritev, fd, v, parts, offset, 0);
  if (isTracked(fd)) wrote(fd, offset, v, parts, n);
  return n;
}
ssize_t pwritev(int fd, const struct iovec *v, int parts, off_t offset) { return pwritev64(fd, v, parts, offset); }
ssize_t pwritev64v2(int fd, const struct iovec *v, int parts, off_t offset, int flags) {
  ssize_t n = sys(SYS_pwritev2, fd, v, parts, offset, 0, flags);
  if (isTracked(fd)) { if (offset < 0) wroteHere(fd, v, parts, n); else wrote(fd, offset, v, parts, n); }
  return n;
}
ssize_t pwritev2(int fd, const struct iovec *v, int parts, off_t offset, int flags) {
  return pwritev64v2(fd, v, parts, offset, flags);
}

/** Rejects kernel copies between files, so that programs fall back to writes that the layer records. */
ssize_t copy_file_range(int from, off_t *fromAt, int to, off_t *toAt, size_t count, unsigned flags) {
  if (!isTracked(to)) return sys(SYS_copy_file_range, from, fromAt, to, toAt, count, flags);
  errno = EXDEV;
  return -1;
}
ssize_t sendfile64(int to, int from, off_t *at, size_t count) {
  if (!isTracked(to)) return sys(SYS_sendfile, to, from, at, count);
  char block[65536];
  if (count > sizeof block) count = sizeof block;
  ssize_t n = at ? pread(from, block, count, *at) : read(from, block, count);
  if (n <= 0) return n;
  ssize_t done = write(to, block, n);
  if (done > 0 && at) *at += done;
  return done;
}
ssize_t sendfile(int to, int from, off_t *at, size_t count) { return sendfile64(to, from, at, count); }

int ftruncate64(int fd, off_t length) {
  int n = sys(SYS_ftruncate, fd, length);
  if (n == 0 && isTracked(fd)) sized(TRUNCATE, inodeOf(fd), length);
  return n;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
int truncate64(const char *path, off_t length) {
  int n = sys(SYS_truncate, path, length);
  if (n == 0 && inside(AT_FDCWD, path)) {
    struct stat s;
    if (stat(path, &s) == 0) sized(TRUNCATE, s.st_ino, length);
  }
  return n;
}
int truncate(const char *path, off_t length) { return truncate64(path, length); }

static void extended(int fd, int mode, off_t offset, off_t length) {
  if (!isTracked(fd)) return;
  if (mode == 0) sized(EXTEND, inodeOf(fd), offset + length);
  else {
    struct record r = {.op = SEEN};
    put(&r, "fallocate", NULL, NULL, 0, 0);
  }
}
int fallocate64(int fd, int mode, off_t offset, off_t length) {
  int n = sys(SYS_fallocate, fd, mode, offset, length);
  if (n == 0) extended(fd, mode, offset, length);
  return n;
}
int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }
int posix_fallocate64(int fd, off_t offset, off_t length) {
  return fallocate64(fd, 0, offset, length) == 0 ? 0 : errno;
}
int posix_fallocate(int fd, off_t offset, off_t length) { return posix_fallocate64(fd, offset, length); }

static int synced(long call, int fd) {
  if (!isTracked(fd)) return sys(call, fd);
  struct record r = {.op = SYNC, .start = atomic_load(counter), .a = inodeOf(fd)};
  int n = sys(call, fd);
  if (n == 0) put(&r, NULL, NULL, NULL, 0, 0);
  return n;
}
int fsync(int fd) { return synced(SYS_fsync, fd); }
int fdatasync(int fd) { return synced(SYS_fdatasync, fd); }
int syncfs(int fd) {
  struct record r = {.op = SYNCALL, .start = counter ? atomic_load(counter) : 0};
  int n = sys(SYS_syncfs, fd);
  if (n == 0) put(&r, NULL, NULL, NULL, 0, 0);
  return n;
}
void sync(void) {
  struct record r = {.op = SYNCALL, .start = counter ? atomic_load(counter) : 0};
  sys(SYS_sync);
  put(&r, NULL, NULL, NULL, 0, 0);
}

int renameat2(int d1, const char *from, int d2, const char *to, unsigned flags) {
  int in = inside(d1, from) || inside(d2, to);
  struct record r = {.op = RENAME, .kind = flags};
  char n1[NAME_MAX + 1], n2[NAME_MAX + 1];
  if (in) {
    r.a = parentOf(d1, from, n1);
    r.b = parentOf(d2, to, n2);
  }
  int n = sys(SYS_renameat2, d1, from, d2, to, flags);
  if (n == 0 && in) put(&r, n1, n2, NULL, 0, 0);
  return n;
}
int renameat(int d1, const char *from, int d2, const char *to) { return renameat2(d1, from, d2, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int d, const char *path, int flags) {
  int in = inside(d, path);
  struct record r = {.op = UNLINK};
  char name[NAME_MAX + 1];
  if (in) r.a = parentOf(d, path, name);
  int n = sys(SYS_unlinkat, d, path, flags);
  if (n == 0 && in) put(&r, name, NULL, NULL, 0, 0);
  return n;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  int n = unlinkat(AT_FDCWD, path, 0);
  return n != 0 && errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : n;
}

int mkdirat(int d, const char *path, mode_t mode) {
  int n = sys(SYS_mkdirat, d, path, mode);
  if (n == 0 && inside(d, path)) linked(d, path, 1, NULL);
  return n;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int linkat(int d1, const char *from, int d2, const char *to, int flags) {
  int n = sys(SYS_linkat, d1, from, d2, to, flags);
  if (n == 0 && inside(d2, to)) linked(d2, to, 2, NULL);
  return n;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int symlinkat(const char *target, int d, const char *path) {
  int n = sys(SYS_symlinkat, target, d, path);
  if (n == 0 && inside(d, path)) linked(d, path, 3, target);
  return n;
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

/** Some programs call the kernel by number: chDB to rename, libuv to write at an offset. */
long syscall(long number, ...) {
  va_list l;
  va_start(l, number);
  long a = va_arg(l, long), b = va_arg(l, long), c = va_arg(l, long), d = va_arg(l, long), e = va_arg(l, long), f = va_arg(l, long);
  va_end(l);
  switch (number) {
    case SYS_renameat2: return renameat2((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
    case SYS_pwritev: return pwritev64((int)a, (const struct iovec *)b, (int)c, (off_t)d);
    case SYS_pwritev2: return pwritev64v2((int)a, (const struct iovec *)b, (int)c, (off_t)d, (int)f);
    case SYS_copy_file_range: return copy_file_range((int)a, (off_t *)b, (int)c, (off_t *)d, (size_t)e, (unsigned)f);
    case SYS_fallocate: return fallocate64((int)a, (int)b, (off_t)c, (off_t)d);
    default: return kernel(number, a, b, c, d, e, f);
  }
}
