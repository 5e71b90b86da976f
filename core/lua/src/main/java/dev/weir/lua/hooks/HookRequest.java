package dev.weir.lua.hooks;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;

/**
 * A command as handlers see it.
 *
 * @param client address of the client; null on a Unix-domain socket
 * @param command number on the wire: 0 check, 1 write, 2 delete, 3 stat, 4 ping
 * @param digest 64 bytes of the request, or of the result for a post handler
 * @param hasShingles whether the request has shingles
 * @param shingles the 32 values if the handler receives them, else null
 */
@SuppressWarnings("ArrayRecordComponent")
public record HookRequest(@Nullable InetAddress client, int command, byte[] digest, boolean hasShingles,
        Extensions extensions, long @Nullable [] shingles) {
    /** The facts about a mail that a client sent; null for a missing fact. */
    public record Extensions(@Nullable String domain, @Nullable InetAddress sourceIp, @Nullable Sender sender) {
        /** No facts. */
        public static final Extensions NONE = new Extensions(null, null, null);
    }

    /**
     * The path of the mail; null for an unknown value.
     *
     * @param recipients {@code 1}, {@code 2-5}, {@code 6-20} or {@code 21+}
     */
    public record Sender(@Nullable String spf, @Nullable String dkim, @Nullable String dmarc, @Nullable String ptr,
            boolean ptrGeneric, boolean tls, @Nullable String recipients) {}
}
