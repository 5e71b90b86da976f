package dev.weir.packages;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.weir.packages.Commands.Result;
import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Assumptions;

/**
 * A network and mounts of its own, so that servers listen on their usual ports and nothing stays behind: all of it goes
 * with the process that holds it.
 */
final class Namespace implements AutoCloseable {
    private final Process holder;

    private Namespace(Process holder) {
        this.holder = holder;
    }

    /**
     * Makes a namespace, or skips the test if this machine cannot.
     *
     * @param setup commands of the shell to run inside
     */
    static Namespace make(String setup) throws IOException, InterruptedException {
        Installed.require("unshare", "util-linux");
        Installed.require("nsenter", "util-linux");
        Installed.require("ip", "iproute2");
        Assumptions.assumeTrue(Commands.run("id", "-u").output().strip().equals("0"),
                "only root can make a network and mounts of its own");
        // It ends with this process, whose end closes its input.
        Process holder = new ProcessBuilder("unshare", "--net", "--mount", "--propagation", "private", "sh", "-c",
                "set -e\nip link set lo up\n" + setup + "\necho ready\nexec cat").redirectErrorStream(true).start();
        Namespace made = new Namespace(holder);
        BufferedReader output = new BufferedReader(
                new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals("ready")) {
                return made;
            }
            said.append(line).append('\n');
        }
        made.close();
        Assumptions.abort("this process may not make a network and mounts of its own: " + said);
        throw new AssertionError();
    }

    /** Returns the command that runs a command inside. */
    List<String> inside(List<String> command) {
        List<String> all = new ArrayList<>(List.of("/usr/bin/nsenter", "--net", "--mount", "--target",
                Long.toString(holder.pid()), "--"));
        all.addAll(command);
        return all;
    }

    Result run(String... command) throws IOException, InterruptedException {
        return Commands.run(inside(List.of(command)), Map.of());
    }

    /** Starts a program whose output goes to a file outside. */
    Process start(List<String> command, Map<String, String> environment, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(inside(command)).redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    @Override
    public void close() throws IOException {
        holder.getOutputStream().close();
        holder.destroy();
        try {
            holder.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a namespace ended");
        }
    }
}
