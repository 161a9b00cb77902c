/*
 * Starts a ClickHouse node for tests: launcher LIBRARY ARGUMENTS...
 * The library of the embedded engine contains the program `clickhouse local`, whose listeners for HTTP and the native
 * protocol are those of a server. Only its C entry can start them. The call returns when the node's query ends.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stddef.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

/* The result of query_stable_v2, as chdb.h declares it. */
struct result {
  char *text;
  size_t length;
  void *owner;
  double seconds;
  unsigned long rows;
  unsigned long bytes;
  char *error;
};

typedef struct result *(*query_entry)(int count, char **arguments);

int main(int count, char **arguments) {
  if (count < 3) {
    fputs("usage: launcher LIBRARY ARGUMENTS...\n", stderr);
    return 64;
  }
#ifdef __linux__
  /* A test that is killed must not leave its node behind. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  query_entry query = library ? (query_entry)dlsym(library, "query_stable_v2") : NULL;
  if (!query) {
    fprintf(stderr, "%s\n", dlerror());
    return 69;
  }
  /* The program expects its own name first: the library's path takes that place. */
  struct result *answer = query(count - 1, arguments + 1);
  if (answer && answer->error) {
    fprintf(stderr, "%s\n", answer->error);
    return 1;
  }
  return answer ? 0 : 70;
}
