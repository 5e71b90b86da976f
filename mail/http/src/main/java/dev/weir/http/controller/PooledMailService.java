package dev.weir.http.controller;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.scan.HashListing;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.ScannerState;
import dev.weir.scan.Submitter;
import dev.weir.scan.pool.ScanLane;

/** A mail service whose mails are hashed by the threads of a pool, and not by those that call it. */
public final class PooledMailService implements MailService {
    private final MailService service;
    private final ScanLane lane;

    /**
     * Creates the service around another one.
     *
     * @param service a service that hashes on the calling thread
     * @param lane the entrance to the pool
     */
    public PooledMailService(MailService service, ScanLane lane) {
        this.service = service;
        this.lane = lane;
    }

    @Override
    public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        return lane.submit(mail.length, () -> service.check(mail, context));
    }

    @Override
    public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
        return lane.submit(mail.length, () -> service.learn(mail, request));
    }

    @Override
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Submitter submitter) {
        return service.forget(digests, flag, submitter);
    }

    @Override
    public CompletableFuture<HashListing> hashes(byte[] mail, long flag) {
        return lane.submit(mail.length, () -> service.hashes(mail, flag));
    }

    @Override
    public CompletableFuture<HashListing> hashes(byte[] mail, String symbol) {
        return lane.submit(mail.length, () -> service.hashes(mail, symbol));
    }

    @Override
    public ScannerState state() {
        return service.state();
    }
}
