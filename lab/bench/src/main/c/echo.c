/*
 * The least that a storage can do on Linux: takes datagrams with recvmmsg, answers each with 96 bytes that hold its tag,
 * sends with sendmmsg, and does nothing else. What it reaches is what the kernel can deliver and send.
 *
 *     cc -O2 -o echo echo.c && ./echo [PORT]
 *
 * Prints "ready on 127.0.0.1:PORT" and runs until it is killed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BATCH = 64, REQUEST = 1024, REPLY = 96, TAG = 8, TAG_BYTES = 4, SOCKET_BUFFER = 8 << 20 };

static struct mmsghdr in[BATCH], out[BATCH];
static struct iovec in_bytes[BATCH], out_bytes[BATCH];
static struct sockaddr_in from[BATCH];
static unsigned char requests[BATCH][REQUEST], replies[BATCH][REPLY];

static int fail(const char *what) {
    perror(what);
    return 1;
}

int main(int argc, char **argv) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd < 0) {
        return fail("socket");
    }
    int size = SOCKET_BUFFER;
    /* More than the system's limit takes a privilege; without it, as much as the limit allows. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? (unsigned short)atoi(argv[1]) : 0)};
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)&local, sizeof local) != 0) {
        return fail("bind");
    }
    socklen_t length = sizeof local;
    getsockname(fd, (struct sockaddr *)&local, &length);
    printf("ready on 127.0.0.1:%d\n", ntohs(local.sin_port));
    fflush(stdout);

    for (int i = 0; i < BATCH; i++) {
        in_bytes[i] = (struct iovec){.iov_base = requests[i], .iov_len = REQUEST};
        in[i].msg_hdr = (struct msghdr){.msg_name = &from[i], .msg_iov = &in_bytes[i], .msg_iovlen = 1};
        out_bytes[i] = (struct iovec){.iov_base = replies[i], .iov_len = REPLY};
        out[i].msg_hdr = (struct msghdr){
            .msg_name = &from[i], .msg_namelen = sizeof from[i], .msg_iov = &out_bytes[i], .msg_iovlen = 1};
    }
    for (;;) {
        for (int i = 0; i < BATCH; i++) {
            in[i].msg_hdr.msg_namelen = sizeof from[i];
        }
        int count = recvmmsg(fd, in, BATCH, MSG_WAITFORONE, NULL);
        if (count < 0) {
            continue;
        }
        for (int i = 0; i < count; i++) {
            memcpy(replies[i] + TAG, requests[i] + TAG, TAG_BYTES);
        }
        for (int sent = 0; sent < count;) {
            int taken = sendmmsg(fd, out + sent, (unsigned)(count - sent), 0);
            sent += taken > 0 ? taken : 1;
        }
    }
}
