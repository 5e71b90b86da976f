package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.StorageHooks.OnError;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.hooks.HookScript;
import dev.weir.storage.server.stats.Counter;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests scripts with handlers in a running storage (docs/reference/storage.md#lua-handlers). */
class HooksTest {
    @TempDir
    private @Nullable Path folder;

    private StorageConfig config(String script) {
        return StorageConfig.of(Objects.requireNonNull(folder).resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback())
                .withHooks(new HookScript(LuaSource.inline("test.lua", script), OnError.REFUSE));
    }

    private static Optional<Reply> ask(InetSocketAddress server, String from, int code, int flag, int millis)
            throws Exception {
        try (UdpClient client = new UdpClient(server, from, millis)) {
            client.send(Generation.MULTI_FLAG, code, Samples.digest(1), flag, 7, null);
            return client.receive();
        } catch (SocketTimeoutException e) {
            return Optional.empty();
        }
    }

    private static Reply ask(InetSocketAddress server, int code, int flag) throws Exception {
        return ask(server, "127.0.0.1", code, flag, 20_000).orElseThrow();
    }

    @Test
    void runsHandlersBeforeAndAfterCommands() throws Exception {
        try (StorageServer server = new StorageServer(config("""
                return {
                  pre = function(ip, cmd, digest, is_shingle, extensions, shingle, flag, value)
                    if cmd == 1 and flag == 99 then return true, 403 end
                    if cmd == 4 and #digest == 64 and ip:to_string() == '127.0.0.1' then return true, 77, 0.25 end
                    if flag == 66 then error('broken') end
                  end,
                  post = function(ip, cmd, digest, is_shingle, value, prob, flag, ts, extensions)
                    if prob > 0.5 and flag == 3 and value == 7 and ts > 0 then return true, 5, 0.75, 8 end
                  end
                }
                """))) {
            InetSocketAddress address = server.start();
            assertThat(ask(address, CommandCode.WRITE, 99).value()).isEqualTo(403);
            assertThat(ask(address, CommandCode.CHECK, 0).isMatch()).isFalse();
            assertThat(ask(address, CommandCode.WRITE, 3).value()).isZero();
            Reply check = ask(address, CommandCode.CHECK, 0);
            assertThat(check.value()).isEqualTo(5);
            assertThat(check.flag()).isEqualTo(8);
            assertThat(check.probability()).isEqualTo(0.75f);
            Reply ping = ask(address, CommandCode.PING, 1);
            assertThat(ping.value()).isEqualTo(77);
            assertThat(ping.probability()).isEqualTo(0.25f);
            assertThat(ask(address, CommandCode.WRITE, 66).value()).isEqualTo(ErrorCode.FORBIDDEN);
            assertThat(server.stats().get(Counter.HOOK_FAILED)).isEqualTo(1);
            assertThat(server.stats().get(Counter.HOOK_ANSWERED)).isEqualTo(3);
            assertThat(server.stats().get(Counter.WRITES)).isEqualTo(1);

            assertThat(server.reconfigure(config("return { pre = function() end }"))).isEmpty();
            assertThat(ask(address, CommandCode.CHECK, 0).flag()).isEqualTo(3);
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> server.reconfigure(config("return { pre = function( }")))
                    .withMessageContaining("test.lua:1");
            assertThat(ask(address, CommandCode.CHECK, 0).flag()).isEqualTo(3);
        }
    }

    @Test
    void scriptCanBlockAClient() throws Exception {
        try (StorageServer server = new StorageServer(config("""
                rspamd_config:add_on_load(function(cfg, ev_base, worker)
                  worker:add_fuzzy_pre_handler(function(ip, cmd, digest, is_shingle, extensions, shingle, flag)
                    if flag == 13 then worker:block_fuzzy_client(ip, 32) end
                  end)
                end)
                """))) {
            InetSocketAddress address = server.start();
            assertThat(ask(address, "127.0.0.2", CommandCode.PING, 1, 20_000)).isPresent();
            assertThat(ask(address, "127.0.0.2", CommandCode.PING, 13, 20_000)).isPresent();
            assertThat(ask(address, "127.0.0.2", CommandCode.PING, 1, 300)).isEmpty();
            assertThat(ask(address, "127.0.0.3", CommandCode.PING, 1, 20_000)).isPresent();
            assertThat(server.stats().get(Counter.DROPPED_BLOCKED)).isEqualTo(1);
        }
    }

    @Test
    void doesNotStartWithAnInvalidScript() {
        try (StorageServer server = new StorageServer(config("return 7"))) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                    .withMessageContaining("cannot load the handlers");
        }
    }
}
