package dev.weir.bench.durability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A watch on the bytes that a process writes and on the size of a folder. It looks often enough to have nearly the last
 * numbers of a process that ends.
 */
final class ProcessWatch implements AutoCloseable {
    /** Each look takes half a millisecond of processor time, which the measured process then lacks. */
    private static final Duration PERIOD = Duration.ofMillis(50);
    private static final String WRITTEN = "write_bytes:";

    private final long pid;
    private final Path folder;
    private final Thread thread = Thread.ofPlatform().name("watch").daemon().unstarted(this::run);
    private volatile boolean ended;
    private volatile long written;
    private volatile long largest;

    /**
     * What was seen.
     *
     * @param written bytes that the process had caused to be sent to the disk when it was last seen
     * @param largestFolder the largest size of the folder
     */
    record Seen(long written, long largestFolder) {}

    private ProcessWatch(long pid, Path folder) {
        this.pid = pid;
        this.folder = folder;
    }

    /** Watches a process and a folder, which need not exist. */
    static ProcessWatch start(long pid, Path folder) {
        ProcessWatch watch = new ProcessWatch(pid, folder);
        watch.thread.start();
        return watch;
    }

    private void run() {
        // Only once, because a search for children reads all of /proc, which takes milliseconds.
        List<Long> processes = family(pid);
        try {
            while (!ended) {
                written = written(processes);
                largest = Math.max(largest, bytes(folder));
                Thread.sleep(PERIOD);
            }
        } catch (IOException e) {
            // The process has ended.
        } catch (InterruptedException e) {
            // The watch has ended.
        }
    }

    /** Returns what was seen up to now. */
    Seen seen() {
        return new Seen(written, largest);
    }

    /**
     * Returns the bytes that a process and its living children have caused to be sent to the disk since they began.
     *
     * @throws IOException if there is no such process
     */
    static long written(long pid) throws IOException {
        return written(family(pid));
    }

    /** Returns a process and its children. */
    private static List<Long> family(long pid) {
        return Stream.concat(Stream.of(pid),
                ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children).map(ProcessHandle::pid)).toList();
    }

    private static long written(List<Long> family) throws IOException {
        long sum = writtenAlone(family.getFirst());
        for (long child : family.subList(1, family.size())) {
            try {
                sum += writtenAlone(child);
            } catch (IOException e) {
                // It has ended.
            }
        }
        return sum;
    }

    private static long writtenAlone(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "io"))) {
            if (line.startsWith(WRITTEN)) {
                return Long.parseLong(line.substring(WRITTEN.length()).strip());
            }
        }
        throw new IOException("the system does not count what the process " + pid + " writes");
    }

    /** Returns the bytes of all files in a folder and below; 0 if it does not exist. */
    static long bytes(Path folder) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.isRegularFile(file)) {
                    sum += size(file);
                }
            }
        } catch (NoSuchFileException e) {
            return sum;
        } catch (UncheckedIOException e) {
            // A folder or file that was deleted meanwhile.
            return sum;
        }
        return sum;
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        ended = true;
        thread.interrupt();
    }
}
