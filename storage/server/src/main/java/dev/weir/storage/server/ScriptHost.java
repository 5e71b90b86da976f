package dev.weir.storage.server;

import java.net.InetAddress;
import java.time.Instant;

import dev.weir.lua.hooks.HookHost;
import dev.weir.model.Network;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.Source;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The functions of the storage that handlers may call: block networks, and query exemptions from the rate limit. */
final class ScriptHost implements HookHost {
    private static final Logger LOG = LoggerFactory.getLogger(ScriptHost.class);

    private final Gate gate;

    ScriptHost(Gate gate) {
        this.gate = gate;
    }

    @Override
    public @Nullable String block(InetAddress network, int prefix, @Nullable Instant expires, String reason, int code) {
        Network blocked = Network.of(network, prefix);
        String refused = gate.blocks().block(blocked, expires, code == 0 ? ErrorCode.FORBIDDEN : code);
        if (refused == null) {
            LOG.info("a script blocked {} {}{}", blocked,
                    expires == null ? "until the next restart" : "until " + expires,
                    reason.isEmpty() ? "" : ": " + reason);
        }
        return refused;
    }

    @Override
    public boolean isRateLimitWhitelisted(InetAddress address) {
        Source source = new Source();
        source.set(address, false);
        return gate.rules().isExempt(source);
    }
}
