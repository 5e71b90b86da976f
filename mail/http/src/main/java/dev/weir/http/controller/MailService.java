package dev.weir.http.controller;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.HashListing;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.ScannerState;
import dev.weir.scan.Submitter;

/** The operations of a scanner that the endpoints need; {@link FuzzyCheck} in production. */
public interface MailService {
    /** See {@link FuzzyCheck#check}. */
    CompletableFuture<ScanResult> check(byte[] mail, ScanContext context);

    /** See {@link FuzzyCheck#learn}. */
    CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request);

    /** See {@link FuzzyCheck#forget(List, long, Optional)}. */
    CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Submitter submitter);

    /** See {@link FuzzyCheck#hashes(byte[], long)}. */
    CompletableFuture<HashListing> hashes(byte[] mail, long flag);

    /** See {@link FuzzyCheck#hashes(byte[], String)}. */
    CompletableFuture<HashListing> hashes(byte[] mail, String symbol);

    /** Returns the rules and counts of the scanner. */
    ScannerState state();

    /** Returns the service of a client. */
    static MailService of(FuzzyCheck client) {
        return new MailService() {
            @Override
            public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
                return client.check(mail, context);
            }

            @Override
            public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
                return client.learn(mail, request);
            }

            @Override
            public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Submitter submitter) {
                return client.forget(digests, flag, Optional.of(submitter));
            }

            @Override
            public CompletableFuture<HashListing> hashes(byte[] mail, long flag) {
                return CompletableFuture.completedFuture(client.hashes(mail, flag));
            }

            @Override
            public CompletableFuture<HashListing> hashes(byte[] mail, String symbol) {
                return CompletableFuture.completedFuture(client.hashes(mail, symbol));
            }

            @Override
            public ScannerState state() {
                return client;
            }
        };
    }
}
