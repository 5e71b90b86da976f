package dev.weir.storage.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;

/** A {@link CrashTestServer} that runs. Closing it kills it (SIGKILL) and waits for its end. */
final class CrashingServer implements AutoCloseable {
    /** Begins the message of a start that failed. */
    static final String NO_START = "the storage did not start";

    private final Process process;
    private final InetSocketAddress address;

    private CrashingServer(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    static List<String> command(Path data, long syncMillis, int segmentBytes, Acknowledge acknowledge,
            BackendKind backend) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "--enable-native-access=ALL-UNNAMED", "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", CrashTestServer.class.getName(), data.toString(),
                Long.toString(syncMillis), Integer.toString(segmentBytes), acknowledge.name(), backend.name());
    }

    /** Starts one; {@code prefix} is a command that runs it. */
    static CrashingServer start(List<String> prefix, Path data, long syncMillis, int segmentBytes)
            throws IOException {
        return start(prefix, data, syncMillis, segmentBytes, Acknowledge.DURABLE);
    }

    /** The same, and says when learns are acknowledged. */
    static CrashingServer start(List<String> prefix, Path data, long syncMillis, int segmentBytes,
            Acknowledge acknowledge) throws IOException {
        return start(prefix, data, syncMillis, segmentBytes, acknowledge, BackendKind.SQLITE);
    }

    /** The same, and says where the hashes are. */
    static CrashingServer start(List<String> prefix, Path data, long syncMillis, int segmentBytes,
            Acknowledge acknowledge, BackendKind backend) throws IOException {
        Process process = new ProcessBuilder(
                Stream.concat(prefix.stream(), command(data, syncMillis, segmentBytes, acknowledge, backend).stream())
                        .toList())
                .redirectErrorStream(true).start();
        StringBuilder said = new StringBuilder();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("port ")) {
                return new CrashingServer(process, new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"),
                        Integer.parseInt(line.substring(5))));
            }
            said.append(line).append('\n');
        }
        throw new IOException(NO_START + ":\n" + said);
    }

    InetSocketAddress address() {
        return address;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends the signal and does not wait. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
