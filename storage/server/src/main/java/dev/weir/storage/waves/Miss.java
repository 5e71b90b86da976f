package dev.weir.storage.waves;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.index.FlagThresholds;

/** A check without a hit, as the background thread reads it from a ring. One object serves all of them. */
final class Miss {
    private final long[] digest = new long[Digest.WORDS];
    private final long[] shingles = new long[Signature.SLOTS];
    private boolean hasShingles;
    private int weight = 1;
    private int threshold = FlagThresholds.USUAL;
    private int client;
    private int network;
    private int sender;
    private int domain;
    private boolean exempt;

    /** Returns the eight words of the digest, for the caller to fill in. */
    long[] digest() {
        return digest;
    }

    /** Returns the 32 shingles, for the caller to fill in. */
    long[] shingles() {
        return shingles;
    }

    /** Sets whether there are shingles. */
    Miss shingled(boolean has) {
        hasShingles = has;
        return this;
    }

    boolean hasShingles() {
        return hasShingles;
    }

    /** Sets how many checks this one stands for. */
    Miss weight(int checks) {
        weight = checks;
        return this;
    }

    int weight() {
        return weight;
    }

    /** Sets how many shingles of 32 the check asks for in a near duplicate. */
    Miss threshold(int slots) {
        threshold = slots;
        return this;
    }

    int threshold() {
        return threshold;
    }

    /** Sets who asked, by keyed hashes: address or key, and network. */
    Miss askedBy(int clientHash, int networkHash) {
        client = clientHash;
        network = networkHash;
        return this;
    }

    int client() {
        return client;
    }

    int network() {
        return network;
    }

    /** Sets who sent the mail, by keyed hashes, 0 if unknown, and whether that sender's mail is never a wave. */
    Miss sentBy(int hostHash, int domainHash, boolean isExempt) {
        sender = hostHash;
        domain = domainHash;
        exempt = isExempt;
        return this;
    }

    int sender() {
        return sender;
    }

    int domain() {
        return domain;
    }

    boolean isExempt() {
        return exempt;
    }
}
