package dev.weir.bench.peer;

import java.io.IOException;
import java.util.List;

import dev.weir.testkit.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * An empty storage and the server of its backend.
 *
 * @param redis the Redis server behind Rspamd, if that is its backend
 */
public record Peers(PeerProcess peer, @Nullable RedisServer redis) implements AutoCloseable {
    public static Peers start(Subject subject, Setting setting, Workspace workspace)
            throws IOException, InterruptedException {
        return switch (subject) {
            case WEIR -> new Peers(WeirProcess.start(workspace, setting.weir(), workspace.newFolder("data")), null);
            case RSPAMD_SQLITE ->
                new Peers(RspamdProcess.start(workspace, new RspamdProcess.Backend.Sqlite(), setting.sync()), null);
            case RSPAMD_REDIS -> {
                RedisServer redis = RedisServer.start(workspace::start, List.of("redis-server"),
                        workspace.newFolder("redis"));
                yield new Peers(RspamdProcess.start(workspace, new RspamdProcess.Backend.Redis(redis), setting.sync()),
                        redis);
            }
        };
    }

    @Override
    public void close() {
        peer.close();
        if (redis != null) {
            redis.close();
        }
    }
}
