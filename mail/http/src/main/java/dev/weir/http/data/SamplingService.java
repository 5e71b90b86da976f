package dev.weir.http.data;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.text.AnalyzedText;
import dev.weir.http.controller.MailService;
import dev.weir.model.Digest;
import dev.weir.scan.HashListing;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.OverloadedException;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.ScannerState;
import dev.weir.scan.Submitter;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.storage.hits.WordSamples;

/**
 * A mail service that also keeps the first words of mails that are learned or found. It reads such a mail once more,
 * after the answer; under load it leaves mails out.
 */
public final class SamplingService implements MailService {
    /** Mails that are read at a time. */
    private static final int AT_ONCE = 2;

    private final Semaphore room = new Semaphore(AT_ONCE);
    private final Executor executor;
    private final MailService service;
    private final MailHasher hasher;
    private final WordSamples samples;

    /**
     * Creates the service around another one.
     *
     * @param executor the executor that reads mails once more
     */
    public SamplingService(MailService service, MailHasher hasher, WordSamples samples, Executor executor) {
        this.executor = executor;
        this.service = service;
        this.hasher = hasher;
        this.samples = samples;
    }

    @Override
    public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        return service.check(mail, context).whenComplete((result, _) -> {
            if (result != null) {
                keep(mail, result.matches().stream().map(FuzzyMatch::found).map(Digest::parse)
                        .flatMap(Optional::stream).toList());
            }
        });
    }

    @Override
    public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
        return service.learn(mail, request).whenComplete((report, _) -> {
            if (report != null && report.success()) {
                keep(mail, report.digests());
            }
        });
    }

    private void keep(byte[] mail, List<Digest> digests) {
        List<Digest> lacking = digests.stream().filter(samples::lacks).toList();
        if (lacking.isEmpty() || !room.tryAcquire()) {
            return;
        }
        // The calling thread may be the one that receives the replies of storages.
        try {
            executor.execute(() -> {
                try {
                    read(mail, lacking);
                } finally {
                    room.release();
                }
            });
        } catch (OverloadedException e) {
            // A sample is not worth the answer to the mail.
            room.release();
        }
    }

    private void read(byte[] mail, List<Digest> lacking) {
        AnalyzedMail analyzed;
        try {
            analyzed = hasher.analyze(mail);
        } catch (NotHashedException e) {
            // What could be hashed just now took less than its time; a busy machine may need more.
            return;
        }
        String subject = Objects.requireNonNullElse(analyzed.subjectText(), "");
        String words = analyzed.parts().stream().map(MimePart::number).map(analyzed::words).filter(Objects::nonNull)
                .map(AnalyzedText::stripped).filter(text -> text.length > 0).findFirst()
                .map(SamplingService::beginning).orElse("");
        if (!subject.isEmpty() || !words.isEmpty()) {
            lacking.forEach(digest -> samples.keep(digest, subject, words));
        }
    }

    /** Returns enough of a text for a sample. */
    private static String beginning(byte[] text) {
        return new String(text, 0, Math.min(text.length, 8 * WordSamples.LONGEST), StandardCharsets.UTF_8);
    }

    @Override
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Submitter submitter) {
        return service.forget(digests, flag, submitter);
    }

    @Override
    public CompletableFuture<HashListing> hashes(byte[] mail, long flag) {
        return service.hashes(mail, flag);
    }

    @Override
    public CompletableFuture<HashListing> hashes(byte[] mail, String symbol) {
        return service.hashes(mail, symbol);
    }

    @Override
    public ScannerState state() {
        return service.state();
    }
}
