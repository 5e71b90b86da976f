package dev.weir.packages;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.weir.packages.Commands.Result;
import org.junit.jupiter.api.Assumptions;

/** A fresh Debian system in a folder, without a JDK. {@code mmdebstrap} makes it from the mirrors of this machine. */
final class Chroot implements AutoCloseable {
    private final Path root;

    private Chroot(Path root) {
        this.root = root;
    }

    /** Makes the system, or skips the test if this machine cannot. */
    static Chroot make() throws IOException, InterruptedException {
        Commands.need("mmdebstrap", "mmdebstrap");
        Assumptions.assumeTrue(Commands.run("id", "-u").output().strip().equals("0"),
                "only root can change the root folder of a process");
        Path root = Files.createTempDirectory("weir-chroot-");
        try {
            Result made = Commands.run("mmdebstrap", "--quiet", "--variant=minbase", "--include=adduser",
                    "--mode=root", "--aptopt=Acquire::Languages none", "stable", root.toString());
            Assumptions.assumeTrue(made.status() == 0, "mmdebstrap cannot make a system: " + made.output());
            // The JVM asks for the mount point of a folder, and a program finds the libraries beside it in /proc.
            Result mounted = Commands.run("mount", "--bind", root.toString(), root.toString());
            Assumptions.assumeTrue(mounted.status() == 0, "this process may not mount: " + mounted.output());
            Commands.run("mount", "--bind", "/proc", root.resolve("proc").toString()).succeeded();
            return new Chroot(root);
        } catch (Throwable e) {
            Commands.run("umount", "--recursive", root.toString());
            Commands.run("rm", "-rf", "--one-file-system", root.toString());
            throw e;
        }
    }

    Path path(String name) {
        return root.resolve(name.substring(1));
    }

    Result run(String... command) throws IOException, InterruptedException {
        return Commands.run(inside(command), environment());
    }

    /** Starts a program. Its output goes to a file in the system. */
    Process start(String output, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(inside(command)).redirectErrorStream(true)
                .redirectOutput(path(output).toFile());
        builder.environment().putAll(environment());
        return builder.start();
    }

    /** Makes a copy of a package visible inside. */
    String offer(Path deb) throws IOException {
        Files.copy(deb, path("/tmp/" + deb.getFileName()));
        return "/tmp/" + deb.getFileName();
    }

    private List<String> inside(String... command) {
        List<String> all = new ArrayList<>(List.of("chroot", root.toString()));
        all.addAll(List.of(command));
        return all;
    }

    private static Map<String, String> environment() {
        return Map.of("DEBIAN_FRONTEND", "noninteractive", "LC_ALL", "C.UTF-8", "HOME", "/root", "TMPDIR", "/tmp");
    }

    @Override
    public void close() throws IOException {
        try {
            Commands.run("umount", "--recursive", root.toString()).succeeded();
            Commands.run("rm", "-rf", "--one-file-system", root.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + root + " was removed");
        }
    }
}
