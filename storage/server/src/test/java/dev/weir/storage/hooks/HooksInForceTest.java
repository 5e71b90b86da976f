package dev.weir.storage.hooks;

import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.HookHost;
import dev.weir.lua.hooks.HookVerdict;
import dev.weir.lua.hooks.StorageHooks.OnError;
import dev.weir.storage.Samples;
import dev.weir.storage.access.gate.Source;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Parse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests the replacement of handlers while commands use them. */
class HooksInForceTest {
    private static Hooks answering(int value) throws Exception {
        return Hooks.load(new HookScript(LuaSource.inline("test.lua",
                "return { pre = function() return true, " + value + " end }"), OnError.REFUSE), HookHost.NONE,
                () -> {});
    }

    private static HookVerdict ask(@Nullable Hooks hooks) {
        byte[] request = new byte[Protocol.SHINGLED_COMMAND];
        int length = new CommandWriter().begin(request, 0, Generation.MULTI_FLAG, CommandCode.WRITE).flag(1).value(7)
                .tag(5).digest(Samples.digest(1).toBytes(), 0).end();
        Command command = new Command(Generation.all());
        assertThat(command.wrap(request, 0, length, Carrier.DATAGRAM)).isEqualTo(Parse.OK);
        Source source = new Source();
        source.set(InetAddress.getLoopbackAddress(), false);
        return Objects.requireNonNull(hooks).before(command, source);
    }

    private static long value(HookVerdict verdict) {
        assertThat(verdict).isInstanceOf(HookVerdict.Answer.class);
        return ((HookVerdict.Answer) verdict).value();
    }

    @Test
    void commandEndsWithTheHandlersItBeganWith() throws Exception {
        try (HooksInForce inForce = new HooksInForce()) {
            assertThat(inForce.acquire()).isNull();
            inForce.release(null);
            inForce.replace(answering(1));
            Hooks old = inForce.acquire();
            Hooks again = inForce.acquire();
            assertThat(again).isSameAs(old);
            inForce.replace(answering(2));
            // A command that began before the replacement still uses the old handlers.
            assertThat(value(ask(old))).isEqualTo(1);
            inForce.release(again);
            assertThat(value(ask(old))).isEqualTo(1);
            Hooks fresh = inForce.acquire();
            assertThat(value(ask(fresh))).isEqualTo(2);
            inForce.release(fresh);
            inForce.release(old);
            // The last use has ended, so no command can begin with the old handlers again.
            assertThat(Objects.requireNonNull(old).enter()).isFalse();
            inForce.replace(null);
            assertThat(inForce.acquire()).isNull();
            assertThat(Objects.requireNonNull(fresh).enter()).isFalse();
        }
    }

    @Test
    void concurrentReplacementsCloseEachHandlersOnce() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (HooksInForce inForce = new HooksInForce()) {
            inForce.replace(answering(0));
            AtomicBoolean enough = new AtomicBoolean();
            FutureTask<Void> asking = new FutureTask<>(() -> {
                while (!enough.get()) {
                    Hooks hooks = inForce.acquire();
                    assertThat(hooks).isNotNull();
                    inForce.release(hooks);
                    asked.incrementAndGet();
                }
                return null;
            });
            Thread.ofPlatform().daemon().start(asking);
            try {
                await("a command").until(() -> asked.get() > 0 || asking.isDone());
                for (int i = 1; i <= 10; i++) {
                    inForce.replace(answering(i));
                }
            } finally {
                enough.set(true);
            }
            asking.get(30, TimeUnit.SECONDS);
            assertThat(value(ask(inForce.acquire()))).isEqualTo(10);
        }
    }
}
