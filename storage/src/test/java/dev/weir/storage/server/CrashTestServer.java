package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** The process that {@link CrashTest} kills: a storage on a free port, which it prints. */
public final class CrashTestServer {
    private CrashTestServer() {}

    /** Serves the folder that is the first argument until it is killed. */
    public static void main(String[] args) throws Exception {
        StorageConfig config = StorageConfig.of(Path.of(args[0])).withAllowUpdate(StorageConfig.loopback())
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        StorageServer server = new StorageServer(config);
        System.out.println("port " + server.start().getPort());
        server.stopped().join();
    }
}
