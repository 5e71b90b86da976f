package dev.weir.trap.folder;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.weir.model.failure.FailureReminders;
import dev.weir.os.RegularFile;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.decision.TrapCounters;
import dev.weir.trap.settings.ImapFolder;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.settings.TrapSources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that looks into the folders again and again. Start once, close once. */
public final class FolderWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FolderWatch.class);
    /** An interrupt ends a look, except that it waits for an IMAP server. */
    private static final int LONGEST_STOP_SECONDS = 3;

    private final FolderReader reader;
    private final ImapReader imap;
    private final Supplier<TrapSettings> settings;
    private final TrapCounters counters;
    private final FailureReminders<Object> failures = new FailureReminders<>(System::nanoTime);
    private final ScheduledExecutorService thread = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("weir-trap-folders").factory());

    /**
     * Creates a watch that does not look yet.
     *
     * @param settings the settings in force
     */
    public FolderWatch(FolderReader reader, ImapReader imap, Supplier<TrapSettings> settings, TrapCounters counters) {
        this.reader = reader;
        this.imap = imap;
        this.settings = settings;
        this.counters = counters;
    }

    /** Looks now and then after each pause. */
    public void start(Duration pause) {
        // The task ends with the executor, so nothing waits for its future.
        var _ = thread.scheduleWithFixedDelay(this::look, 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        TrapSettings now = settings.get();
        look(now.sources(), Purpose.TRAP);
        now.complaints().ifPresent(complaints -> look(complaints.sources(), Purpose.COMPLAINT));
        now.wanted().ifPresent(wanted -> look(wanted.sources(), Purpose.WANTED));
    }

    private void look(TrapSources sources, Purpose purpose) {
        for (Path maildir : sources.maildirs()) {
            look(maildir, () -> reader.maildir(maildir, purpose, sources.addresses()));
        }
        for (Path mbox : sources.mboxes()) {
            look(mbox, () -> reader.mbox(mbox, purpose, sources.addresses()));
        }
        for (ImapFolder folder : sources.imap()) {
            look(folder, () -> imap.read(folder, purpose, sources.addresses()));
        }
    }

    /** A look into one folder. */
    private interface Look {
        int run() throws IOException, InterruptedException;
    }

    @SuppressWarnings("PMD.AvoidCatchingThrowable")
    private void look(Object folder, Look look) {
        try {
            int taken = look.run();
            if (failures.end(folder)) {
                LOG.info("{} can be read again", folder);
            }
            if (taken > 0) {
                LOG.info("{}: {} read", folder, taken == 1 ? "1 mail" : taken + " mails");
            }
        } catch (ClosedByInterruptException e) {
            // A stop ends a look, and the next start goes on from the last mail.
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            counters.count(TrapCounters.Event.FOLDER_FAILURE);
            String reason = reason(e);
            if (failures.isDue(folder, reason)) {
                LOG.warn("{} cannot be read, each look tries again: {}", folder, reason);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // Even after an OutOfMemoryError, the next look may succeed, and the executor would cancel all looks.
            counters.count(TrapCounters.Event.FOLDER_FAILURE);
            LOG.error("reading {} failed because of a bug", folder, e);
        }
    }

    /** Returns why a folder cannot be read, in words. */
    static String reason(IOException e) {
        String cause = cause(e);
        return e instanceof FileSystemException && !cause.equals(e.getMessage())
                ? cause + ": " + e.getMessage()
                : cause;
    }

    /** Returns why a file cannot be read. Some exceptions have only its name as their message. */
    static String cause(IOException e) {
        return switch (e) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "there is no such file or folder";
            case RegularFile.RefusedException refused -> String.valueOf(refused.getReason());
            case NotDirectoryException _ -> "it is not a folder";
            default -> String.valueOf(e.getMessage());
        };
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("reading the trap folders does not finish");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
