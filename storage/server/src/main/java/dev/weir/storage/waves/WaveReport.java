package dev.weir.storage.waves;

import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.sampling.CountCurve;

/**
 * A group, for an operator.
 *
 * @param name the beginning of the digest that names it
 * @param leader this digest
 * @param answers whether checks of its mails get an answer
 * @param tenMinutes checks in the last ten minutes
 * @param hour checks in the last hour
 * @param day checks in the last 24 hours
 * @param checks all checks since it is remembered
 * @param clients how many clients asked: exact up to eight, then an estimate, as the next three
 * @param networks how many of their networks
 * @param senders how many hosts sent such mails, as far as clients say
 * @param domains how many domains of senders
 * @param nodes how many nodes counted these checks; a leader and its followers are one
 * @param minutes checks in each of the last 60 minutes, the current one last
 * @param hours checks in each hour, the current one last
 */
public record WaveReport(String name, Digest leader, WaveState state, boolean answers, long tenMinutes, long hour,
        long day,
        long checks, long firstMillis, long lastMillis, int clients, int networks, int senders, int domains, int nodes,
        List<Long> minutes, List<Long> hours, List<Member> members) {
    private static final int REST_OF_HOUR = 5;

    /** Copies the lists. */
    public WaveReport {
        minutes = List.copyOf(minutes);
        hours = List.copyOf(hours);
        members = List.copyOf(members);
    }

    /**
     * A signature of a group.
     *
     * @param signature empty for a digest without shingles, and if the shingles are not kept
     * @param learnable whether it can be learned
     */
    public record Member(Digest digest, Optional<Signature> signature, boolean learnable) {}

    static WaveReport of(Wave wave) {
        SavedWave total = wave.total();
        CountCurve curve = total.curve();
        return new WaveReport(wave.name(), wave.leader().digest(), wave.state, wave.answers, curve.minutes(10),
                curve.minutes(CountCurve.MINUTES), curve.hours(24), total.checks(), total.firstMillis(),
                total.lastMillis(), total.clients().count(), total.networks().count(), total.senders().count(),
                total.domains().count(), wave.nodes(), curve.minuteCurve(),
                curve.hourCurve(),
                wave.members.stream().map(member -> new Member(member.digest(),
                        Optional.ofNullable(member.signature()), member.whole())).toList());
    }

    /** Returns how many times more checks came in the last ten minutes than in ten minutes of the 50 before. */
    public double growth() {
        return tenMinutes / Math.max(1.0, (hour - tenMinutes) / (double) REST_OF_HOUR);
    }
}
