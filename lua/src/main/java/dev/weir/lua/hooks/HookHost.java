package dev.weir.lua.hooks;

import java.net.InetAddress;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** What handlers may ask of the storage. Called on threads of the scripts. */
public interface HookHost {
    /** A storage that blocks nobody and says so. */
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
     * Refuses a network from now on.
     *
     * @param prefix length of the network, 0 to 32 or 128
     * @param expires null for as long as the storage runs
     * @param reason for logs, may be empty
     * @param code value of the reply on TCP, 503 unless the script says otherwise
     * @return null, or why not
     */
    @Nullable
    String block(InetAddress network, int prefix, @Nullable Instant expires, String reason, int code);

    boolean isRateLimitWhitelisted(InetAddress address);
}
