package dev.weir.lua.hooks;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;

/**
 * A command as handlers see it.
 *
 * @param client null on a Unix socket
 * @param command number on the wire: 0 check, 1 write, 2 delete, 3 stat, 4 ping
 * @param digest 64 bytes of the request, or of the result for a post handler
 * @param hasShingles whether the request carries shingles
 * @param shingles the 32 values where the handler gets them, else null
 */
@SuppressWarnings("ArrayRecordComponent")
public record HookRequest(@Nullable InetAddress client, int command, byte[] digest, boolean hasShingles,
        Extensions extensions, long @Nullable [] shingles) {
    /** What a client told of a mail; null where it told nothing. */
    public record Extensions(@Nullable String domain, @Nullable InetAddress sourceIp, @Nullable Sender sender) {
        /** Nothing told. */
        public static final Extensions NONE = new Extensions(null, null, null);
    }

    /**
     * How the mail came in; null where unknown.
     *
     * @param recipients {@code 1}, {@code 2-5}, {@code 6-20} or {@code 21+}
     */
    public record Sender(@Nullable String spf, @Nullable String dkim, @Nullable String dmarc, @Nullable String ptr,
            boolean ptrGeneric, boolean tls, @Nullable String recipients) {}
}
