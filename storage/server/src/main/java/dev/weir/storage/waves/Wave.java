package dev.weir.storage.waves;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.sampling.CountCurve;
import org.jspecify.annotations.Nullable;

/** A group of near-duplicate checks, with at least two of them. The lock of the table protects it. */
final class Wave {
    /** The most signatures of a group. Each further mail is near one of them, or it is another group. */
    static final int MOST_MEMBERS = 4;

    /** An address for log lines and requests: the beginning of the first digest. */
    static final int NAME_DIGITS = 16;

    private static final int MEMBER_BYTES = 24 + (16 + 16 + Digest.BYTES)
            + (24 + 16 + Signature.SLOTS * Long.BYTES);

    final int number;
    final CountCurve curve;
    final DistinctCount clients;
    final DistinctCount networks;
    final DistinctCount senders;
    final DistinctCount domains;
    final List<Member> members = new ArrayList<>(1);
    final long firstMillis;
    long lastMillis;
    long checks;

    /** The place of the member that names it; below 0 if none could be learned so far. */
    private int leader = -1;

    /** What other nodes counted of it. */
    List<WavePart> parts = List.of();

    /** Since when it could be learned automatically; 0 if it could not at the last judgment. */
    long learnableMillis;

    /** Whether a mail of it came from an exempt sender. */
    boolean exempt;

    /** Whether a node learned it, even if that was undone. */
    boolean learned;

    /** What was decided about it. */
    WaveState state = WaveState.COUNTED;

    /** When it was looked up among the known hashes; 0 for never. */
    long examinedMillis;

    /** Whether its hashes are among the answers, and the value of each member there; 0 for none. */
    boolean answers;
    final long[] answered = new long[MOST_MEMBERS];

    /** Whether a client asked since the last judgment. */
    boolean changed = true;

    /**
     * A signature of a group.
     *
     * @param slot its place in the table
     * @param signature the shingles; null for a digest without, and for one whose shingles are not kept
     * @param whole whether everything is known that is needed to learn it
     */
    record Member(int slot, Digest digest, @Nullable Signature signature, boolean whole) {}

    Wave(int number, long firstMillis, CountCurve curve) {
        this(number, firstMillis, curve, new DistinctCount(), new DistinctCount(), new DistinctCount(),
                new DistinctCount());
    }

    Wave(int number, long firstMillis, CountCurve curve, DistinctCount clients, DistinctCount networks,
            DistinctCount senders, DistinctCount domains) {
        this.number = number;
        this.firstMillis = firstMillis;
        this.lastMillis = firstMillis;
        this.curve = curve;
        this.clients = clients;
        this.networks = networks;
        this.senders = senders;
        this.domains = domains;
    }

    /** Returns the most bytes of a group, with the objects that belong to it. */
    static int mostBytes(int hours) {
        return 128 + CountCurve.bytes(hours) + 4 * DistinctCount.MOST_BYTES + 64 + MOST_MEMBERS * MEMBER_BYTES;
    }

    void count(int weight, long millis) {
        curve.add(weight, millis / CountCurve.MINUTE_MILLIS);
        checks += weight;
        lastMillis = Math.max(lastMillis, millis);
        changed = true;
    }

    void note(int client, int network, int sender, int domain, boolean isExempt) {
        clients.add(client);
        networks.add(network);
        senders.add(sender);
        domains.add(domain);
        exempt |= isExempt;
    }

    /** Brings the curves up to date. */
    void turn(long minute) {
        curve.turn(minute);
        for (int i = 0; i < parts.size(); i++) {
            parts.get(i).counts().curve().turn(minute);
        }
    }

    /** Returns the checks of a window at this node and others, at most 2<sup>31</sup> - 1. */
    long within(Duration window) {
        long sum = curve.within(window);
        for (int i = 0; i < parts.size(); i++) {
            sum += parts.get(i).counts().curve().within(window);
        }
        return Math.min(Integer.MAX_VALUE, sum);
    }

    /** Returns the counts of this node and others together. */
    SavedWave total() {
        SavedWave total = SavedWave.of(this);
        for (WavePart part : parts) {
            total = total.plus(part.counts());
        }
        return total;
    }

    /** Returns the number of different clients of all nodes. */
    int clientCount() {
        if (parts.isEmpty()) {
            return clients.count();
        }
        DistinctCount all = new DistinctCount();
        all.merge(clients);
        parts.forEach(part -> all.merge(part.counts().clients()));
        return all.count();
    }

    /** Returns whether another node says that the group must not answer. */
    boolean isExcludedElsewhere() {
        return parts.stream().anyMatch(part -> part.counts().exempt());
    }

    /** Returns how many nodes counted a check of it. */
    int nodes() {
        return (int) parts.stream().filter(part -> part.counts().checks() > 0).count() + (checks > 0 ? 1 : 0);
    }

    /** Returns how many nodes begin to learn the group before this one. */
    long nodesBefore() {
        return parts.stream().filter(WavePart::first).count();
    }

    /** Forgets who asked and who sent, because the key of the hashes changes. */
    void forgetWho() {
        clients.clear();
        networks.clear();
        senders.clear();
        domains.clear();
    }

    /** Returns the member that names the group: the one that could be learned first, or the first of all. */
    Member leader() {
        for (int i = 0; i < members.size() && leader < 0; i++) {
            leader = members.get(i).whole() ? i : leader;
        }
        return members.get(Math.max(0, leader));
    }

    /** Returns the beginning of the digest that names the group. */
    String name() {
        return leader().digest().hex().substring(0, NAME_DIGITS);
    }

    /**
     * Returns whether another group makes room rather than this one: it is not on the skip list, has fewer networks, up
     * to three, then fewer checks in the time that the table remembers. So one network that asks about random mails
     * repeatedly displaces no group that several networks see.
     */
    boolean isStrongerThan(Wave other) {
        if ((state == WaveState.SKIPPED) != (other.state == WaveState.SKIPPED)) {
            return state == WaveState.SKIPPED;
        }
        int mine = Math.min(networks.count(), 3);
        int theirs = Math.min(other.networks.count(), 3);
        if (mine != theirs) {
            return mine > theirs;
        }
        long my = curve.all();
        long their = other.curve.all();
        return my == their ? lastMillis > other.lastMillis : my > their;
    }
}
