package dev.weir.lua.hooks;

import java.net.InetAddress;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** The functions of the storage that handlers can call. Called on script threads. */
public interface HookHost {
    /** A storage without dynamic blocks; it returns an error for each request. */
    HookHost NONE = new HookHost() {
        @Override
        public @Nullable String block(InetAddress network, int prefix, @Nullable Instant expires, String reason,
                int code) {
            return "dynamic blocks are not available";
        }

        @Override
        public boolean isRateLimitWhitelisted(InetAddress address) {
            return false;
        }
    };

    /**
     * Blocks a network from now on.
     *
     * @param prefix prefix length of the network, 0 to 32 or 128
     * @param expires null to block for as long as the storage runs
     * @param reason reason for logs, may be empty
     * @param code value of the reply on TCP; 503 unless the script sets another
     * @return null, or the reason for a failure
     */
    @Nullable
    String block(InetAddress network, int prefix, @Nullable Instant expires, String reason, int code);

    boolean isRateLimitWhitelisted(InetAddress address);
}
