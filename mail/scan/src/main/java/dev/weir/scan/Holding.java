package dev.weir.scan;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.KindOptions;
import dev.weir.wire.reply.Reply;

/**
 * The entry of a storage for one hash, queried before the hash is removed.
 *
 * @param queried the queried digest
 * @param kind the short name of the hash type, such as {@code txt}; empty if only the digest is known
 * @param stored the digest in the answer; empty if the storage knows no similar hash
 * @param probability the share of equal shingles, 1 for the same digest; 0 if nothing is known
 * @param lists the value of each flag in the answer for the stored digest, at most eight
 */
public record Holding(Digest queried, String kind, Optional<Digest> stored, double probability,
        Map<Long, Integer> lists) {
    /** Copies the map. */
    public Holding {
        lists = Collections.unmodifiableMap(new TreeMap<>(lists));
    }

    /** Returns the entry in the answer to a queried hash, whether it counts for a rule or not. */
    public static Holding of(ScanResult.AskedHash asked) {
        Optional<Reply> match = Optional.ofNullable(asked.reply()).filter(Reply::isMatch);
        Map<Long, Integer> lists = new TreeMap<>();
        match.ifPresent(reply -> {
            lists.put(Integer.toUnsignedLong(reply.flag()), reply.value());
            reply.extras().forEach(extra -> lists.put(Integer.toUnsignedLong(extra.flag()), extra.value()));
        });
        return new Holding(asked.digest(), asked.label(), match.map(reply -> Digest.of(reply.digest())),
                match.map(Reply::probability).orElse(0f), lists);
    }

    /** Returns the entry that a scan found for a queried hash. */
    public static Holding of(ScanResult.AskedHash asked, List<FuzzyMatch> matches) {
        List<FuzzyMatch> own = matches.stream()
                .filter(match -> match.rule().equals(asked.rule()) && match.queried().equals(asked.digest().hex()))
                .toList();
        Map<Long, Integer> lists = new TreeMap<>();
        own.forEach(match -> lists.put(match.flag(), match.value()));
        return new Holding(asked.digest(), asked.type(),
                own.isEmpty() ? Optional.empty() : Digest.parse(own.getFirst().found()),
                own.isEmpty() ? 0 : own.getFirst().probability(), lists);
    }

    /**
     * Returns the entry as the list of a symbol has it.
     *
     * @param kinds the flags of kinds beyond those of Rspamd
     */
    public Holding inLists(KindOptions kinds) {
        int offset = HashKind.beyondRspamd(kind).map(kinds.kinds()::get).map(KindOptions.Kind::flagOffset).orElse(0);
        return offset == 0
                ? this
                : new Holding(queried, kind, stored, probability, lists.entrySet().stream()
                        .collect(Collectors.toMap(list -> list.getKey() - offset, Map.Entry::getValue)));
    }

    /** Returns whether the hash itself has a flag. */
    public boolean isOn(long flag) {
        return stored.filter(queried::equals).isPresent() && lists.containsKey(flag);
    }

    /** Returns whether the hash itself is stored with any flag. */
    public boolean isStored() {
        return stored.filter(queried::equals).isPresent();
    }

    /** Returns whether the hash itself, or the similar hash in the answer, has a flag. */
    public boolean matches(long flag) {
        return stored.isPresent() && lists.containsKey(flag);
    }
}
