package dev.weir.bench.speed;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.bench.peer.Workspace;

/** A loopback server that prints {@code ready on 127.0.0.1:PORT}; {@code close} kills it. */
public final class Served implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready on 127\\.0\\.0\\.1:(\\d+)");

    private final Workspace workspace;
    private final Process process;
    private final InetSocketAddress address;
    private final double seconds;

    private Served(Workspace workspace, Process process, int port, double seconds) {
        this.workspace = workspace;
        this.process = process;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.seconds = seconds;
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @throws IOException with the output of the server, if it exits before it is ready
     */
    public static Served start(Workspace workspace, List<String> words) throws IOException {
        Path log = Files.createTempFile(workspace.folder(), "server", ".log");
        long start = System.nanoTime();
        Process process = workspace.start(new ProcessBuilder(words).redirectError(log.toFile()));
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ready = READY.matcher(line);
            if (ready.find()) {
                return new Served(workspace, process, Integer.parseInt(ready.group(1)),
                        (System.nanoTime() - start) / 1e9);
            }
        }
        workspace.kill(process);
        throw new IOException(String.join(" ", words) + " did not become ready:\n" + Files.readString(log));
    }

    /** Returns the address of the server. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns the seconds from the start to the line that reports readiness. */
    public double seconds() {
        return seconds;
    }

    /** Returns the resident memory of the server in bytes. */
    public long resident() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow(() -> new IOException("the system does not report the resident memory of the server"));
    }

    /** Returns the processor times of the threads of the server. */
    ProcessorTimes processorTimes() throws IOException {
        return ProcessorTimes.of(process.pid());
    }

    @Override
    public void close() {
        workspace.kill(process);
    }
}
