package dev.weir.storage.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.Installed;

/**
 * An in-memory file system of a few MiB in a separate mount namespace. A shell process holds the namespace, and other
 * processes join it with {@link #inside}, so nothing remains when the test dies.
 */
final class SmallDisk implements AutoCloseable {
    private final Process holder;
    private final Path folder;

    private SmallDisk(Process holder, Path folder) {
        this.holder = holder;
        this.folder = folder;
    }

    /** Mounts it, or skips the calling test where a process may not have such namespaces, as in many containers. */
    static SmallDisk mount(Path parent, int mebibytes) throws IOException {
        Installed.require("unshare", "util-linux");
        Path folder = parent.resolve("small");
        Files.createDirectories(folder);
        // The shell prints a line when the file system is mounted, then runs until it is killed.
        Process holder = new ProcessBuilder("unshare", "-rm", "sh", "-c",
                "mount -t tmpfs -o size=" + mebibytes + "m tmpfs \"$1\" && echo mounted && exec sleep infinity", "sh",
                folder.toString()).redirectErrorStream(true).start();
        BufferedReader out = holder.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        if (!"mounted".equals(line)) {
            holder.destroyForcibly();
            Installed.require(false, "namespaces",
                    "this system, such as a container, allows no user and mount namespace (" + line + ")");
        }
        return new SmallDisk(holder, folder);
    }

    Path folder() {
        return folder;
    }

    /** Returns the prefix of a command that runs it on the small disk. */
    List<String> inside() {
        return List.of("nsenter", "--preserve-credentials", "-U", "-m", "-t", Long.toString(holder.pid()));
    }

    /** Fills all free space. */
    void fill() throws IOException, InterruptedException {
        run("dd if=/dev/zero of=" + folder + "/filler bs=4096 2>/dev/null; :");
    }

    /** Frees the space again. */
    void free() throws IOException, InterruptedException {
        run("rm -f " + folder + "/filler");
    }

    private void run(String script) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(inside());
        command.addAll(List.of("sh", "-c", script));
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException("failed: " + script);
        }
    }

    @Override
    public void close() {
        holder.destroyForcibly();
        holder.onExit().join();
    }
}
