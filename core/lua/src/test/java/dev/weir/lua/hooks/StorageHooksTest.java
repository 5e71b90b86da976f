package dev.weir.lua.hooks;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

import dev.weir.lua.LuaException;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.LuaScript;
import dev.weir.lua.LuaSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of what handlers see and decide (docs/reference/storage.md#lua-handlers). */
class StorageHooksTest {
    private static final LuaLimits LIMITS = new LuaLimits(Duration.ofMillis(200), 16 << 20, 1);
    private static final byte[] DIGEST = new byte[64];
    private static final HookRequest.Extensions TOLD = new HookRequest.Extensions("example.com",
            InetAddress.ofLiteral("2001:db8::7"),
            new HookRequest.Sender("pass", null, "fail", "mx.example.com", false, true, "2-5"));

    static {
        DIGEST[0] = (byte) 0xab;
    }

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    private StorageHooks load(String text, StorageHooks.OnError onError) throws LuaException {
        HookHost host = new HookHost() {
            @Override
            public @Nullable String block(InetAddress network, int prefix, @Nullable Instant expires, String reason,
                    int code) {
                told.add(
                        "block " + network.getHostAddress() + "/" + prefix + " " + expires + " " + reason + " " + code);
                return prefix == 13 ? "no luck" : null;
            }

            @Override
            public boolean isRateLimitWhitelisted(InetAddress address) {
                return address.isLoopbackAddress();
            }
        };
        return StorageHooks.load(LuaSource.inline("hooks.lua", text), LIMITS, host, onError,
                (level, message) -> told.add(message));
    }

    private static String registering(String kind, String... handlers) {
        StringBuilder all = new StringBuilder("rspamd_config:add_on_load(function(cfg, ev_base, worker)\n"
                + "  if worker:get_name() ~= 'fuzzy' then return end\n");
        for (String handler : handlers) {
            all.append("  worker:add_fuzzy_").append(kind).append("_handler(").append(handler).append(")\n");
        }
        return all.append("end)\n").toString();
    }

    private static HookRequest request(int command) {
        return new HookRequest(InetAddress.ofLiteral("192.0.2.1"), command, DIGEST, true, TOLD,
                new long[]{-1, 0x0123456789abcdefL});
    }

    @ParameterizedTest
    @ValueSource(strings = {"tostring(ip) == '192.0.2.1' and ip:get_version() == 4", "cmd == 1",
        "#digest == 64 and tostring(digest:hex()):sub(1, 4) == 'ab00'", "is_shingle == true",
        "ext.domain == 'example.com'",
        "tostring(ext.ip) == '2001:db8::7'", "ext.sender.spf == 'pass' and ext.sender.dkim == nil",
        "ext.sender.ptr_generic == false and ext.sender.tls == true and ext.sender.rcpts == '2-5'",
        "shingle:get_string(0) == 'ffffffffffffffff' and shingle:to_table()[2] == '0123456789abcdef'",
        "flag == 11 and value == -5", "rspamd_logger ~= nil and require 'rspamd_util' ~= nil"})
    void preHandlerSeesTheRequest(String expression) throws LuaException {
        try (StorageHooks hooks = load(registering("pre",
                "function(ip, cmd, digest, is_shingle, ext, shingle, flag, value) return " + expression + ", 7, 1 end"),
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(request(1), 11, -5)).isEqualTo(new HookVerdict.Answer(7, 1, OptionalLong.empty()));
        }
    }

    @Test
    void hidesTheShinglesOfACheck() throws LuaException {
        try (StorageHooks hooks = load(
                registering("pre", "function(ip, cmd, digest, is_shingle, ext, shingle) return shingle == nil end"),
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(request(0), 1, 0)).isInstanceOf(HookVerdict.Answer.class);
            assertThat(hooks.before(request(1), 1, 0)).isEqualTo(HookVerdict.CONTINUE);
        }
    }

    @Test
    void firstHandlerThatReturnsTrueAnswers() throws LuaException {
        try (StorageHooks hooks = load(registering("pre", "function() return false, 1 end", "function() end",
                "function() return true, 403 end", "function() error('never reached') end"),
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(request(0), 1, 0)).isEqualTo(new HookVerdict.Answer(403, 0, OptionalLong.empty()));
            assertThat(hooks.hasPre()).isTrue();
            assertThat(hooks.hasPost()).isFalse();
            assertThat(hooks.hasBlacklist()).isFalse();
            assertThat(hooks.after(request(0), 1, 1, 1, 1)).isEqualTo(HookVerdict.CONTINUE);
        }
    }

    @Test
    void postHandlerReplacesTheResult() throws LuaException {
        try (StorageHooks hooks = load(
                registering("post",
                        """
                                function(ip, cmd, digest, is_shingle, value, prob, flag, ts, ext, shingle)
                                  if value == 20 and prob == 0.75 and flag == 3 and ts == 1700000000 and ext.domain == 'example.com' then
                                    return true, value * 2, 1.0, 9
                                  end
                                end"""),
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.after(request(0), 20, 0.75, 3, 1_700_000_000))
                    .isEqualTo(new HookVerdict.Answer(40, 1, OptionalLong.of(9)));
            assertThat(hooks.after(request(0), 21, 0.75, 3, 1_700_000_000)).isEqualTo(HookVerdict.CONTINUE);
        }
    }

    @Test
    void blacklistHandlerReceivesRefusedClients() throws LuaException {
        try (StorageHooks hooks = load(
                registering("blacklist",
                        """
                                function(ip, reason, event, info, digest, ext)
                                  require('rspamd_logger').infox('%s %s %s %s %s %s', ip, reason, event, info and info.max_burst, digest and #digest,
                                    ext.source_ip)
                                end"""),
                StorageHooks.OnError.REFUSE)) {
            InetAddress client = InetAddress.ofLiteral("192.0.2.1");
            hooks.refused(client, "ratelimit", "new", new BlockInfo(5.5, true, 5, 0.1, 0.5, 1_700_000_000), DIGEST,
                    TOLD);
            hooks.refused(client, "blacklisted", "blacklist", null, null, HookRequest.Extensions.NONE);
        }
        assertThat(told).containsExactly("192.0.2.1 ratelimit new 5 64 2001:db8:0:0:0:0:0:7",
                "192.0.2.1 blacklisted blacklist nil nil nil");
    }

    @Test
    void handlersBlockClients() throws LuaException {
        try (StorageHooks hooks = load(
                """
                        rspamd_config:add_on_load(function(cfg, ev_base, worker)
                          worker:add_fuzzy_pre_handler(function(ip)
                            local a, b = worker:block_fuzzy_client(ip, 24, 1700000000, 'greedy', 429), worker:block_fuzzy_client('2001:db8::', 32)
                            local c, message = worker:block_fuzzy_client(ip, 13)
                            local d, range = worker:block_fuzzy_client(ip, 33)
                            local e, none = worker:block_fuzzy_client('nowhere', 8)
                            return a and b and not c and message == 'no luck' and not d and range ~= nil and not e and none ~= nil
                              and worker:is_ratelimit_whitelisted('127.0.0.1') and not worker:is_ratelimit_whitelisted(ip)
                          end)
                        end)
                        """,
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(request(0), 1, 0)).isInstanceOf(HookVerdict.Answer.class);
        }
        assertThat(told).containsExactly("block 192.0.2.1/24 2023-11-14T22:13:20Z greedy 429",
                "block 2001:db8:0:0:0:0:0:0/32 null  503", "block 192.0.2.1/13 null  503");
    }

    @ParameterizedTest
    @ValueSource(strings = {"error('broken')", "while true do end", "while true do pcall(error) end", "return nil + 1",
        "local s = 'x' while true do s = s .. s end"})
    void failuresRefuseTheCommand(String body) throws LuaException {
        String text = registering("pre", "function() " + body + " end")
                + registering("post", "function() " + body + " end");
        try (StorageHooks hooks = load(text, StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(request(0), 1, 0)).isInstanceOf(HookVerdict.Refuse.class);
            assertThat(hooks.after(request(0), 1, 1, 1, 1)).isInstanceOf(HookVerdict.Refuse.class);
            assertThat(hooks.counters().errors()).isEqualTo(2);
        }
        try (StorageHooks hooks = load(text, StorageHooks.OnError.CONTINUE)) {
            assertThat(hooks.before(request(0), 1, 0)).isEqualTo(HookVerdict.CONTINUE);
        }
        // A busy machine may stop the endless ones late, which is told as well.
        assertThat(told).filteredOn(line -> line.contains("handler: ")).hasSize(3);
    }

    @Test
    void acceptsATableOfHandlers() throws LuaException {
        try (StorageHooks hooks = load("return {pre = function() return true, 1 end, post = {function() end}}",
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(request(0), 1, 0)).isInstanceOf(HookVerdict.Answer.class);
            assertThat(hooks.hasPost()).isTrue();
        }
    }

    @Test
    void clientsOnUnixDomainSocketsHaveNoAddress() throws LuaException {
        HookRequest local = new HookRequest(null, 1, DIGEST, false, HookRequest.Extensions.NONE, null);
        try (StorageHooks hooks = load("return {pre = function(ip, cmd, digest, is_shingle, ext, shingle) "
                + "return not ip:is_valid() and not is_shingle and ext.sender == nil and shingle == nil, 2 end}",
                StorageHooks.OnError.REFUSE)) {
            assertThat(hooks.before(local, 1, 0)).isEqualTo(new HookVerdict.Answer(2, 0, OptionalLong.empty()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rspamd_config:add_on_load(1)", "rspamd_config:register_symbol({})",
        "return {before = print}",
        "rspamd_config:add_on_load(function(c, e, w) w:add_fuzzy_pre_handler('x') end)", "return {pre = 1}",
        "rspamd_config:add_on_load(function(c, e, w) w:block_fuzzy_client('1.2.3.4', 8) end)"})
    void reportsErrorsWhenLoading(String text) {
        assertThatThrownBy(() -> load(text, StorageHooks.OnError.REFUSE)).isInstanceOf(LuaException.class);
    }

    @Test
    void countsCalls() throws LuaException {
        try (StorageHooks hooks = load("return {pre = function() end}", StorageHooks.OnError.REFUSE)) {
            hooks.before(request(0), 1, 0);
            assertThat(hooks.counters()).isEqualTo(new LuaScript.Counters(2, 0, 0, 0));
        }
    }
}
