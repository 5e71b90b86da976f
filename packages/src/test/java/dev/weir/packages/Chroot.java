package dev.weir.packages;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.weir.packages.Commands.Result;
import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Assumptions;

/**
 * A system in a folder, with a network of its own. The folder is no mount point, as in any simple chroot, so Java finds
 * no file store there.
 */
final class Chroot implements AutoCloseable {
    private final Path root;
    private final Namespace namespace;
    private final List<String> user;
    private final Map<String, String> environment;

    private Chroot(Path root, Namespace namespace, List<String> user, Map<String, String> environment) {
        this.root = root;
        this.namespace = namespace;
        this.user = user;
        this.environment = environment;
    }

    /**
     * Makes a fresh Debian system without a JDK, or skips the test if this machine cannot. {@code mmdebstrap} makes it
     * from the mirrors of this machine.
     */
    static Chroot debian() throws IOException, InterruptedException {
        Installed.require("mmdebstrap", "mmdebstrap");
        Path root = Files.createTempDirectory("weir-chroot-");
        try {
            Result made = Commands.run("mmdebstrap", "--quiet", "--variant=minbase", "--include=adduser",
                    "--mode=root", "--aptopt=Acquire::Languages none",
                    "--aptopt=Acquire::Check-Valid-Until false", "stable", root.toString());
            Assumptions.assumeTrue(made.status() == 0, "mmdebstrap cannot make a system: " + made.output());
            return new Chroot(root, namespace(root), List.of(), Map.of("DEBIAN_FRONTEND", "noninteractive", "LC_ALL",
                    "C.UTF-8", "HOME", "/root", "TMPDIR", "/tmp"));
        } catch (Throwable e) {
            Commands.run("rm", "-rf", "--one-file-system", root.toString());
            throw e;
        }
    }

    /**
     * Takes a folder as the root of a system, or skips the test if this machine cannot.
     *
     * @param user the numbers of the user and the group of all programs, separated by a colon
     * @param environment all that programs find in their environment
     */
    static Chroot of(Path root, String user, Map<String, String> environment) throws IOException, InterruptedException {
        for (String folder : List.of("proc", "dev")) {
            Files.createDirectories(root.resolve(folder));
        }
        Commands.run("mknod", "-m", "666", root.resolve("dev/null").toString(), "c", "1", "3").succeeded();
        Commands.run("mknod", "-m", "666", root.resolve("dev/urandom").toString(), "c", "1", "9").succeeded();
        Commands.run("mknod", "-m", "666", root.resolve("dev/random").toString(), "c", "1", "8").succeeded();
        return new Chroot(root, namespace(root), List.of("--userspec=" + user), environment);
    }

    private static Namespace namespace(Path root) throws IOException, InterruptedException {
        // A program finds the libraries beside it in /proc.
        return Namespace.make("mount --bind /proc '" + root.resolve("proc") + "'");
    }

    Path path(String name) {
        return root.resolve(name.substring(1));
    }

    Namespace namespace() {
        return namespace;
    }

    Result run(String... command) throws IOException, InterruptedException {
        return Commands.run(namespace.inside(chroot(command)), environment);
    }

    /** Starts a program. Its output goes to a file in the system. */
    Process start(String output, String... command) throws IOException {
        return namespace.start(chroot(command), environment, path(output));
    }

    /** Makes a copy of a file visible inside, in the folder {@code /tmp}. */
    String offer(Path file) throws IOException {
        Files.copy(file, path("/tmp/" + file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        return "/tmp/" + file.getFileName();
    }

    private List<String> chroot(String... command) {
        List<String> all = new ArrayList<>(List.of("/usr/sbin/chroot"));
        all.addAll(user);
        all.add(root.toString());
        all.addAll(List.of(command));
        return all;
    }

    @Override
    public void close() throws IOException {
        namespace.close();
        try {
            Commands.run("rm", "-rf", "--one-file-system", root.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + root + " was removed");
        }
    }
}
