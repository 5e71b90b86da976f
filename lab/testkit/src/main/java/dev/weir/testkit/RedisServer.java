package dev.weir.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A real Redis on loopback. Unless its options say otherwise it keeps nothing on disk, which favors its speed, but
 * acknowledged data does not survive its exit.
 */
public final class RedisServer implements AutoCloseable {
    private final Launcher launcher;
    private final List<String> command;
    private final int port;
    private Process process;

    private RedisServer(Launcher launcher, List<String> command, int port, Process process) {
        this.launcher = launcher;
        this.command = command;
        this.port = port;
        this.process = process;
    }

    /** Starts processes, for a caller that keeps a list of them. */
    @FunctionalInterface
    public interface Launcher {
        Process start(ProcessBuilder builder) throws IOException;
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @param folder the working folder of the server
     * @param options further options of redis-server
     */
    public static RedisServer start(Path folder, String... options) throws IOException {
        return start(ProcessBuilder::start, List.of("redis-server"), folder, options);
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @param program the command line that runs redis-server or a relative of it
     * @param folder the working folder of the server
     * @param options further options of the program
     */
    public static RedisServer start(Launcher launcher, List<String> program, Path folder, String... options)
            throws IOException {
        int port = FreePort.find();
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--save", "", "--appendonly",
                "no", "--dir", folder.toString()));
        command.addAll(List.of(options));
        return new RedisServer(launcher, command, port, launch(launcher, command));
    }

    private static Process launch(Launcher launcher, List<String> command) throws IOException {
        Process process = launcher.start(new ProcessBuilder(command).redirectErrorStream(true));
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains("Ready to accept connections")) {
                // A server that cannot write its log stands still.
                Thread.ofVirtual().start(() -> discard(out));
                return process;
            }
            seen.append(line).append('\n');
        }
        kill(process);
        throw new IOException(command + " did not start:\n" + seen);
    }

    private static void discard(BufferedReader out) {
        try {
            out.transferTo(Writer.nullWriter());
        } catch (IOException _) {
            // The server was killed, which closes what it writes to. Awaitility would fail the test for it.
        }
    }

    /** Starts the server again after {@link #kill}, with the same port, folder and options. */
    public void restart() throws IOException {
        process = launch(launcher, command);
    }

    /** Returns the port. */
    public int port() {
        return port;
    }

    /** Returns the process. */
    public Process process() {
        return process;
    }

    /** Kills the server at once, as a crash would, and waits until it has exited. */
    public void kill() {
        kill(process);
    }

    @Override
    public void close() {
        kill();
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }
}
