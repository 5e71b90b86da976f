package dev.weir.http.controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.scan.HashListing;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.ScannerState;
import dev.weir.scan.StoragesListing;
import dev.weir.scan.Submitter;
import dev.weir.scan.outgoing.OutgoingFigures;
import dev.weir.scan.score.SymbolTable;

/** A scanner with prepared answers that records its requests. */
public class FakeService implements MailService {
    static final Digest DIGEST = Digest.of(new byte[64]);

    final List<byte[]> mails = new ArrayList<>();
    final List<ScanContext> contexts = new ArrayList<>();
    final List<LearnRequest> learns = new ArrayList<>();
    final List<Digest> forgotten = new ArrayList<>();
    CompletableFuture<ScanResult> scan = CompletableFuture
            .completedFuture(new ScanResult(List.of(), 0, List.of(), List.of(), List.of(), List.of(), false));
    CompletableFuture<LearnReport> report = CompletableFuture
            .completedFuture(new LearnReport(11, List.of(), List.of(DIGEST), Optional.empty()));
    SequencedMap<String, List<HashListing.Hash>> listing = new LinkedHashMap<>();

    @Override
    public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        mails.add(mail);
        contexts.add(context);
        return scan;
    }

    @Override
    public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
        mails.add(mail);
        learns.add(request);
        return report;
    }

    @Override
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Submitter submitter) {
        forgotten.addAll(digests);
        return report;
    }

    @Override
    public CompletableFuture<HashListing> hashes(byte[] mail, long flag) {
        return CompletableFuture.completedFuture(new HashListing(flag == 11 ? listing : new LinkedHashMap<>()));
    }

    @Override
    public CompletableFuture<HashListing> hashes(byte[] mail, String symbol) {
        return CompletableFuture.completedFuture(new HashListing(listing));
    }

    @Override
    public ScannerState state() {
        return new FakeState();
    }

    private static final class FakeState implements ScannerState {
        @Override
        public StoragesListing storages() {
            return new StoragesListing(List.of(
                    new StoragesListing.Storage("local", false, List.of("127.0.0.1:11335"), List.of("127.0.0.1:11335"),
                            Map.of("LOCAL_DENIED", 11L)),
                    new StoragesListing.Storage("feed", true, List.of("a:1"), List.of("b:2"), Map.of("FEED", 3L))));
        }

        @Override
        public long reducedRequests() {
            return 0;
        }

        @Override
        public OutgoingFigures outgoing() {
            return new OutgoingFigures(0, 0, 0, 0, 0);
        }

        @Override
        public long refusedUpdates() {
            return 3;
        }

        @Override
        public Map<String, Long> counts() {
            return Map.of("local", 20L);
        }

        @Override
        public SymbolTable symbols() {
            return new SymbolTable(Map.of("LOCAL_DENIED", new SymbolTable.Symbol(12, "Denied fuzzy hash", "fuzzy")),
                    Map.of("fuzzy", new SymbolTable.Group(OptionalDouble.empty(), OptionalDouble.empty())), 0);
        }
    }
}
