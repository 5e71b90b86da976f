package dev.weir.milter.session;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

import dev.weir.scan.OverloadedException;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes mails to the scanner and sets a time limit, for the wait and for hashing. Thread-safe. */
public final class MailScan {
    private static final Logger LOG = LoggerFactory.getLogger(MailScan.class);

    private final BiFunction<byte[], ScanContext, CompletableFuture<ScanResult>> scanner;

    /**
     * Creates a way to a scanner.
     *
     * @param scanner the check of a mail, which does not hash it on the calling thread
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
        CompletableFuture<ScanResult> result;
        try {
            result = scanner.apply(mail, context);
        } catch (OverloadedException e) {
            return new Unscanned(Shortfall.OVERLOADED);
        } catch (RuntimeException e) {
            return defect(e);
        }
        try {
            return new Scanned(result.get(patience.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            result.cancel(true);
            return new Unscanned(Shortfall.TIMEOUT);
        } catch (InterruptedException e) {
            result.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OverloadedException) {
                return new Unscanned(Shortfall.OVERLOADED);
            }
            return defect(e);
        }
    }

    private static Outcome defect(Exception e) {
        LOG.error("a mail could not be scanned because of a bug", e);
        return new Unscanned(Shortfall.DEFECT);
    }
}
