package dev.weir.bench.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;

/**
 * The folder of a run and the processes that were started in it. All of it goes when the run ends, also by a failure or
 * a signal: processes are ended by the handles that they were started with, and by nothing else. Thread-safe.
 */
public final class Workspace implements AutoCloseable {
    private final Path folder;
    private final Set<Process> processes = ConcurrentHashMap.newKeySet();
    private final Thread hook = new Thread(this::clean, "clean");

    private Workspace(Path folder) {
        this.folder = folder;
    }

    /** Creates a workspace within another folder. */
    public static Workspace open(Path parent) throws IOException {
        Files.createDirectories(parent);
        Workspace workspace = new Workspace(Files.createTempDirectory(parent, "weir-bench"));
        Runtime.getRuntime().addShutdownHook(workspace.hook);
        // Workers of other servers may run as another user.
        Files.setPosixFilePermissions(workspace.folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return workspace;
    }

    /** Returns the folder. */
    public Path folder() {
        return folder;
    }

    /** Creates a folder in the workspace. */
    public Path newFolder(String name) throws IOException {
        Path made = Files.createTempDirectory(folder, name);
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        return made;
    }

    /** Starts a process that is killed with this workspace at the latest. */
    public Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        processes.add(process);
        var _ = process.onExit().thenRun(() -> processes.remove(process));
        return process;
    }

    /** Kills a process with all its descendants and waits until it has exited. */
    public void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Suspends a process until the result is closed. */
    Contents.Outage pause(Process process) throws IOException {
        signal(process, "STOP");
        return () -> signal(process, "CONT");
    }

    private void signal(Process process, String name) throws IOException {
        Process kill = start(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())));
        try {
            if (kill.waitFor() != 0) {
                throw new IOException("kill -" + name + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            kill(kill);
        }
    }

    /** Deletes a folder of this workspace. */
    public void delete(Path path) throws IOException {
        if (!path.startsWith(folder)) {
            throw new IllegalArgumentException(path + " is not in " + folder);
        }
        if (Files.notExists(path)) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void clean() {
        processes.forEach(this::kill);
        try {
            delete(folder);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("bench: " + folder + " could not be deleted: " + Reason.of(e));
        }
    }

    @Override
    public void close() {
        clean();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
