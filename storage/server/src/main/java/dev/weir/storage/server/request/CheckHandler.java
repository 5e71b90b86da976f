package dev.weir.storage.server.request;

import java.util.SplittableRandom;

import dev.weir.lua.hooks.HookVerdict;
import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.hits.HitRing;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.waves.MissRecorder;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.command.Command;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.SideMatch;
import org.jspecify.annotations.Nullable;

/** The handler of checks for one receiving thread. It neither allocates nor locks. */
final class CheckHandler {
    /**
     * The minimum of equal slots for a match to renew a hash, for a probability above 0.9
     * (docs/reference/storage.md#renewal).
     */
    private static final int STRONG = 29;

    /** How often a continuously matched hash is renewed per expiry time. */
    private static final int REFRESHES = 24;

    /** The shingles of one in so many exact hits are compared. */
    private static final int SAMPLED = 63;

    private final LiveHashes hashes;
    private int exactHits;
    private final Request request;
    private final HitRing hits;
    private final @Nullable MissRecorder waves;
    private final Lookup lookup = new Lookup();
    private final FlagOrder flags = new FlagOrder();
    private final SplittableRandom chance = new SplittableRandom();
    private final byte[] digest = new byte[Digest.BYTES];
    private final long[] words = new long[Digest.WORDS];

    /**
     * Creates a handler.
     *
     * @param waves hears of checks without a hit; null if nothing counts them
     */
    CheckHandler(LiveHashes hashes, Request request, HitRing hits, @Nullable MissRecorder waves) {
        this.hashes = hashes;
        this.request = request;
        this.hits = hits;
        this.waves = waves;
    }

    /** Looks up the request and returns the length of the reply. */
    int check() {
        request.count(Counter.CHECKS);
        Digest.readWords(request.command.bytes(), request.command.digestOffset(), lookup.digest());
        lookup.hasShingles(request.command.hasShingles());
        if (request.command.hasShingles()) {
            request.command.copyShingles(lookup.shingles(), 0);
        }
        lookup.wantsSides(request.command.hasSides());
        lookup.thresholds(request.rules().thresholds(), request.command.askedThreshold());
        lookup.compares((exactHits & SAMPLED) == 0);
        boolean hit = hashes.find(lookup, request.now());
        boolean wave = !hit && belongsToWave();
        IndexMatch match = lookup.match();
        Hooks hooks = request.hooks();
        if (hooks != null && hooks.hasPost()) {
            int size = runHooks(hooks, hit || wave ? match : null);
            if (size > 0) {
                return size;
            }
        }
        if (!hit) {
            return answerMiss(match, wave);
        }
        request.count(match.isExact() ? Counter.EXACT_HITS : Counter.SIMILAR_HITS);
        if (match.isExact() && request.command.hasShingles()) {
            exactHits++;
            if (match.hasOtherShingles()) {
                request.countOtherShingles();
            }
        }
        hits.record(match);
        match.copyDigest(digest);
        request.reply.digest(digest, 0);
        Rules rules = request.rules();
        boolean skipped = isSkipped(match);
        if (!skipped && match.equalSlots() >= STRONG && hashes.expireSeconds() > 0 && rules.renews()) {
            refreshIfOld(match, hashes.recordedSeconds(request.now()));
        }
        double delay = rules.delaySeconds(request.source, chance.nextDouble());
        double youngest = delay > 0 ? request.now() / 1000.0 - delay : Double.POSITIVE_INFINITY;
        return answer(match, skipped, youngest);
    }

    /** Passes a check without a hit on. Returns whether it belongs to a group of them that answers. */
    private boolean belongsToWave() {
        hashes.missed(lookup);
        if (waves == null) {
            return false;
        }
        waves.missed(lookup, request.command, request.source, request.access());
        return waves.find(lookup);
    }

    private int answerMiss(IndexMatch match, boolean wave) {
        if (!wave) {
            return request.answerNothing();
        }
        request.count(Counter.WAVE_HITS);
        match.copyDigest(digest);
        request.reply.digest(digest, 0);
        return answer(match, false, Double.POSITIVE_INFINITY);
    }

    /**
     * Runs the hooks on the result of a check before anything is withheld. Returns the length of the hook's reply, or 0
     * if the result stands.
     */
    private int runHooks(Hooks hooks, @Nullable IndexMatch match) {
        int flag = 0;
        int value = 0;
        long time = 0;
        float probability = 0;
        request.command.copyDigest(digest, 0);
        if (match != null) {
            match.copyDigest(digest);
            flags.choose(match, request.rules().weak(), Double.POSITIVE_INFINITY);
            int primary = flags.isEmpty() ? 0 : flags.at(0);
            flag = match.flag(primary);
            value = (int) match.value(primary);
            time = match.time(primary);
            probability = match.equalSlots() / (float) Signature.SLOTS;
        }
        HookVerdict verdict = hooks.after(request.command, request.source, digest, value, probability, flag, time);
        if (verdict instanceof HookVerdict.Continue) {
            return 0;
        }
        request.reply.digest(digest, 0);
        if (verdict instanceof HookVerdict.Answer answer) {
            request.count(Counter.HOOK_ANSWERED);
            int shown = (int) answer.flag().orElse(flag);
            if (request.forbidden().contains(shown)) {
                return request.hide();
            }
            return request.reply.result((int) answer.value(), shown, (float) answer.probability()).time((int) time)
                    .end();
        }
        return request.answer(Counter.HOOK_FAILED, HookVerdict.REFUSED_VALUE, 0);
    }

    /**
     * Writes the visible part of a match and returns the length of the reply (docs/reference/storage.md#after-a-match,
     * docs/reference/storage.md#forbidden-flags).
     */
    private int answer(IndexMatch match, boolean skipped, double youngest) {
        boolean multi = request.command.epoch().reply() == ReplyLayout.MULTI_FLAG;
        flags.choose(match, request.rules().weak(), youngest);
        if (skipped || flags.isEmpty()) {
            request.count(skipped ? Counter.MATCHES_SKIPPED : Counter.DELAYED);
            int primary = flags.isEmpty() ? 0 : flags.at(0);
            if (request.forbidden().contains(match.flag(primary))) {
                return request.hide();
            }
            return request.reply.result(skipped ? ErrorCode.SKIPPED : 0, match.flag(primary), 0)
                    .time(skipped ? (int) match.time(primary) : 0).end();
        }
        if (multi) {
            flags.remove(match, request.forbidden());
        }
        if (flags.isEmpty() || request.forbidden().contains(match.flag(flags.at(0)))) {
            if (!multi) {
                // Rspamd keeps the match mark in the middle layout and removes it from the longest one.
                request.reply.matched();
            }
            return request.hide();
        }
        int primary = flags.at(0);
        // Values have 64 bits in the storage but 32 on the wire, so the upper half is dropped
        // (docs/reference/protocol.md#reply-fields).
        request.reply
                .result((int) match.value(primary), match.flag(primary), match.equalSlots() / (float) Signature.SLOTS)
                .time((int) match.time(primary)).matched();
        for (int i = 1; i < flags.size(); i++) {
            request.reply.extra((int) match.value(flags.at(i)), match.flag(flags.at(i)));
        }
        if (request.command.hasSides() && match.hasSides()) {
            addSides(match);
        }
        return request.reply.end();
    }

    /**
     * Adds how similar the HTML of the match is, and whether a protecting flag stands for the same template
     * (docs/reference/protocol.md#extensions-of-weir). The match is no longer valid afterwards.
     */
    private void addSides(IndexMatch match) {
        Command asked = request.command;
        HtmlSides.Cta cta = HtmlSides.cta(asked.ctaDomains(), match.ctaDomains());
        boolean sameDomains = asked.allDomains() == match.allDomains();
        boolean sameFeatures = asked.features() == match.features();
        float structure = match.equalSlots() / (float) Signature.SLOTS;
        double similarity = HtmlSides.similarity(structure, cta, sameDomains, sameFeatures, HtmlSides.OTHER_CTA);
        boolean guarded = asked.protectors() > 0 && isProtected(asked);
        request.reply.sides(structure, (float) similarity, SideMatch.bits(cta, sameDomains, sameFeatures, guarded));
    }

    private boolean isProtected(Command asked) {
        lookup.noProtectors();
        for (int i = 0; i < asked.protectors(); i++) {
            // A hidden flag must not show through this either.
            if (!request.forbidden().contains(asked.protector(i))) {
                lookup.addProtector(asked.protector(i));
            }
        }
        lookup.domains(asked.ctaDomains(), asked.allDomains());
        return hashes.findProtected(lookup, request.now());
    }

    private boolean isSkipped(IndexMatch match) {
        if (match.value(0) <= 0) {
            return false;
        }
        for (int i = 0; i < words.length; i++) {
            words[i] = match.digestWord(i);
        }
        return request.rules().skipped(words);
    }

    /** Queues a renewal if the last one is old enough, to bound the number of renewals per hash. */
    private void refreshIfOld(IndexMatch match, long now) {
        if (now - Math.max(match.time(0), match.renewed()) <= hashes.expireSeconds() / REFRESHES) {
            return;
        }
        boolean offered = hashes.offerRefresh(new QueuedUpdate(new Update.Refresh(Digest.read(digest, 0), now),
                UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NONE));
        request.count(offered ? Counter.REFRESHES : Counter.REFRESHES_SKIPPED);
    }
}
