package dev.weir.milter.session;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

import dev.weir.scan.OverloadedException;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes mails to the scanner. It admits large mails two at a time, because reading one takes many times its size
 * in memory, and sets a time limit. Thread-safe.
 */
public final class MailScan {
    private static final Logger LOG = LoggerFactory.getLogger(MailScan.class);
    private static final int LARGE = 2 << 20;
    private static final int LARGE_AT_ONCE = 2;

    private final Semaphore large = new Semaphore(LARGE_AT_ONCE);
    private final BiFunction<byte[], ScanContext, CompletableFuture<ScanResult>> scanner;

    /**
     * Creates a way to a scanner.
     *
     * @param scanner the check of a mail, such as {@code fuzzyCheck::check}
     */
    public MailScan(BiFunction<byte[], ScanContext, CompletableFuture<ScanResult>> scanner) {
        this.scanner = scanner;
    }

    /** What became of a mail. */
    sealed interface Outcome {}

    /** A mail was scanned, at least in part. */
    record Scanned(ScanResult result) implements Outcome {}

    /** A mail was not scanned. */
    record Unscanned(Shortfall reason) implements Outcome {}

    Outcome scan(byte[] mail, ScanContext context, Duration patience) throws InterruptedException {
        boolean held = mail.length > LARGE;
        if (held && !large.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            return new Unscanned(Shortfall.OVERLOADED);
        }
        try {
            return new Scanned(scanner.apply(mail, context).get(patience.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return new Unscanned(Shortfall.TIMEOUT);
        } catch (OverloadedException e) {
            return new Unscanned(Shortfall.OVERLOADED);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OverloadedException) {
                return new Unscanned(Shortfall.OVERLOADED);
            }
            return defect(e);
        } catch (RuntimeException e) {
            return defect(e);
        } finally {
            if (held) {
                large.release();
            }
        }
    }

    private static Outcome defect(Exception e) {
        LOG.error("a mail could not be scanned because of a bug", e);
        return new Unscanned(Shortfall.DEFECT);
    }
}
