package dev.weir.storage.hooks;

import java.net.InetAddress;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.HookHost;
import dev.weir.lua.hooks.StorageHooks.OnError;
import dev.weir.storage.access.gate.Source;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the notification of handlers of refused clients. */
class RefusalsTest {
    /** A host whose functions wait. */
    private record Slow(CountDownLatch begun, CountDownLatch released) implements HookHost {
        @Override
        public @Nullable String block(InetAddress network, int prefix, @Nullable Instant expires, String reason,
                int code) {
            begun.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return null;
        }

        @Override
        public boolean isRateLimitWhitelisted(InetAddress address) {
            return false;
        }
    }

    @Test
    void countsWhatHandlersAreNotToldOf() throws Exception {
        Slow host = new Slow(new CountDownLatch(1), new CountDownLatch(1));
        AtomicInteger dropped = new AtomicInteger();
        Source source = new Source();
        source.set(InetAddress.getLoopbackAddress(), false);
        try (Hooks hooks = Hooks.load(new HookScript(LuaSource.inline("test.lua", """
                rspamd_config:add_on_load(function(cfg, ev_base, worker)
                  worker:add_fuzzy_blacklist_handler(function(ip) worker:block_fuzzy_client(ip, 32) end)
                end)
                """), OnError.REFUSE), host, dropped::incrementAndGet)) {
            hooks.refused(source, "ratelimit", "new", null, null);
            host.begun.await();
            for (int i = 0; i < Hooks.WAITING; i++) {
                hooks.refused(source, "ratelimit", "existing", null, null);
            }
            assertThat(dropped).hasValue(0);
            hooks.refused(source, "ratelimit", "existing", null, null);
            hooks.refused(source, "ratelimit", "existing", null, null);
            assertThat(dropped).hasValue(2);
            host.released.countDown();
        }
    }
}
