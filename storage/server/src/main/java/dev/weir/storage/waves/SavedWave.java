package dev.weir.storage.waves;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.sampling.CountCurve;
import org.jspecify.annotations.Nullable;

/**
 * A group in the file {@code waves} and in a note to other nodes: what can be learned of it, and its counts.
 *
 * @param exempt in the file, whether a mail of it came from an exempt sender; in a note, whether that node excludes it
 * for such a mail or its skip list, or knows another node that does
 * @param learned whether a node learned its hashes, even if that was undone
 */
record SavedWave(long firstMillis, long lastMillis, long checks, boolean exempt, boolean learned, CountCurve curve,
        DistinctCount clients, DistinctCount networks, DistinctCount senders, DistinctCount domains,
        List<Member> members) {
    /** Sums of many groups still fit into 64 bits. */
    private static final long MOST_CHECKS = 1L << 48;

    /** A signature of a group; a digest without shingles has no signature. */
    record Member(Digest digest, @Nullable Signature signature) {}

    /** Returns what of a group is saved. */
    static SavedWave of(Wave wave) {
        return new SavedWave(wave.firstMillis, wave.lastMillis, wave.checks, wave.exempt,
                wave.learned, wave.curve, wave.clients, wave.networks, wave.senders, wave.domains,
                wave.members.stream().filter(Wave.Member::whole)
                        .map(member -> new Member(member.digest(), member.signature())).toList());
    }

    SavedWave excluded(boolean isExcluded) {
        return new SavedWave(firstMillis, lastMillis, checks, isExcluded, learned, curve, clients, networks, senders,
                domains, members);
    }

    /** Returns a copy with its first members only. */
    SavedWave withMembers(int most) {
        return new SavedWave(firstMillis, lastMillis, checks, exempt, learned, curve, clients, networks, senders,
                domains, List.copyOf(members.subList(0, Math.min(most, members.size()))));
    }

    /** Returns a copy with times that are not after a moment. */
    SavedWave until(long now) {
        long last = Math.clamp(lastMillis, 0, now);
        return new SavedWave(Math.clamp(firstMillis, 0, last), last, checks, exempt, learned, curve, clients, networks,
                senders, domains, members);
    }

    /** Returns a new group with the counts of this one and another one, and the members of this one. */
    SavedWave plus(SavedWave other) {
        CountCurve both = curve.copy();
        both.merge(other.curve);
        return new SavedWave(Math.min(firstMillis, other.firstMillis), Math.max(lastMillis, other.lastMillis),
                checks + other.checks, exempt || other.exempt, learned || other.learned, both,
                union(clients, other.clients), union(networks, other.networks), union(senders, other.senders),
                union(domains, other.domains),
                members);
    }

    /** Forgets who asked and who sent, because the key of the hashes changes. */
    void forgetWho() {
        clients.clear();
        networks.clear();
        senders.clear();
        domains.clear();
    }

    private static DistinctCount union(DistinctCount one, DistinctCount other) {
        DistinctCount both = new DistinctCount();
        both.merge(one);
        both.merge(other);
        return both;
    }

    /** Returns the group without members, which need a place in a table. */
    Wave restored(int number) {
        Wave wave = new Wave(number, firstMillis, curve, clients, networks, senders, domains);
        wave.lastMillis = lastMillis;
        wave.checks = checks;
        wave.exempt = exempt;
        wave.learned = learned;
        wave.state = learned ? WaveState.LEARNED : WaveState.COUNTED;
        return wave;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeLong(firstMillis);
        out.writeLong(lastMillis);
        out.writeLong(checks);
        out.writeBoolean(exempt);
        out.writeBoolean(learned);
        curve.write(out);
        for (DistinctCount count : List.of(clients, networks, senders, domains)) {
            count.write(out);
        }
        out.writeByte(members.size());
        for (Member member : members) {
            out.write(member.digest().toBytes());
            Signature signature = member.signature();
            out.writeBoolean(signature != null);
            if (signature != null) {
                for (int i = 0; i < Signature.SLOTS; i++) {
                    out.writeLong(signature.value(i));
                }
            }
        }
    }

    /** Reads a group for a table that keeps a number of hours. */
    static SavedWave read(DataInputStream in, int hours) throws IOException {
        long first = in.readLong();
        long last = in.readLong();
        long checks = Math.clamp(in.readLong(), 0, MOST_CHECKS);
        boolean exempt = in.readBoolean();
        boolean learned = in.readBoolean();
        CountCurve curve = CountCurve.read(in, hours);
        DistinctCount clients = DistinctCount.read(in);
        DistinctCount networks = DistinctCount.read(in);
        DistinctCount senders = DistinctCount.read(in);
        DistinctCount domains = DistinctCount.read(in);
        int size = in.readUnsignedByte();
        if (size > Wave.MOST_MEMBERS) {
            throw new IOException("a group of " + size + " signatures");
        }
        List<Member> members = new ArrayList<>(size);
        byte[] digest = new byte[Digest.BYTES];
        long[] values = new long[Signature.SLOTS];
        for (int i = 0; i < size; i++) {
            in.readFully(digest);
            Signature signature = null;
            if (in.readBoolean()) {
                for (int slot = 0; slot < values.length; slot++) {
                    values[slot] = in.readLong();
                }
                signature = Signature.of(values, 0);
            }
            members.add(new Member(Digest.of(digest), signature));
        }
        return new SavedWave(first, last, checks, exempt, learned, curve, clients, networks, senders, domains,
                members);
    }
}
