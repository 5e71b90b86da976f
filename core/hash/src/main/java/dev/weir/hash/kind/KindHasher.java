package dev.weir.hash.kind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.shingle.Blake2b;
import dev.weir.hash.shingle.SetShingler;
import dev.weir.hash.url.PublicSuffixes;
import org.jspecify.annotations.Nullable;

/**
 * Makes the hashes of the kinds that a rule asks for. Each kind has keys of its own, derived from the keys of the rule
 * and the name of the kind, so no hash of one kind can match one of another kind or of Rspamd. Immutable and
 * thread-safe.
 */
public final class KindHasher {
    private static final long[] NO_SHINGLES = {};
    private static final int SHINGLES_KEY = 16;
    /** The kinds that compare addresses. */
    private static final Set<HashKind> OF_ADDRESSES = EnumSet.of(HashKind.LINKS, HashKind.PICTURE,
            HashKind.TOKEN);

    private final Map<HashKind, Keys> keys = new EnumMap<>(HashKind.class);
    private final PublicSuffixes suffixes;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Keys(byte[] digest, long gram, @Nullable SetShingler shingler) {
        byte[] digest(byte[] content) {
            return Blake2b.digest512(digest, content);
        }
    }

    /**
     * @param kinds the kinds to make
     * @param fuzzyKey key of the digests, up to 64 bytes
     * @param shinglesKey key of the shingles, up to 64 bytes
     */
    public KindHasher(Set<HashKind> kinds, byte[] fuzzyKey, byte[] shinglesKey, PublicSuffixes suffixes) {
        this(kinds, "", fuzzyKey, shinglesKey, suffixes);
    }

    private KindHasher(Set<HashKind> kinds, String suffix, byte[] fuzzyKey, byte[] shinglesKey,
            PublicSuffixes suffixes) {
        this.suffixes = suffixes;
        for (HashKind kind : kinds) {
            byte[] name = (kind.label() + suffix).getBytes(StandardCharsets.US_ASCII);
            byte[] derived = Blake2b.digest512(shinglesKey, name);
            keys.put(kind, new Keys(Blake2b.digest512(fuzzyKey, name),
                    ByteBuffer.wrap(derived, 32, 8).order(ByteOrder.LITTLE_ENDIAN).getLong(),
                    kind.near() ? new SetShingler(Arrays.copyOf(derived, SHINGLES_KEY)) : null));
        }
    }

    /**
     * Returns a hasher for the same content with other keys, under which storages keep what wanted mail looks like. The
     * nearest wanted mail is found there even if spam is nearer.
     */
    public static KindHasher ofWanted(Set<HashKind> kinds, byte[] fuzzyKey, byte[] shinglesKey,
            PublicSuffixes suffixes) {
        return new KindHasher(kinds, "-ham", fuzzyKey, shinglesKey, suffixes);
    }

    /** Returns the kinds that this hasher makes. */
    public Set<HashKind> kinds() {
        return keys.isEmpty() ? Set.of() : EnumSet.copyOf(keys.keySet());
    }

    /**
     * Returns the hashes of a mail, by kind.
     *
     * @throws dev.weir.hash.effort.NotHashedException if the mail exceeds its budget
     */
    public List<KindHash> hash(MailContent mail, Effort effort) {
        List<KindHash> hashes = new ArrayList<>();
        for (Features features : features(mail, false, effort)) {
            hashes.addAll(features.hashes());
        }
        return hashes;
    }

    /**
     * Returns what each kind reads in a mail, with the texts of its members.
     *
     * @throws dev.weir.hash.effort.NotHashedException if the mail exceeds its budget
     */
    public List<Features> explain(MailContent mail, Effort effort) {
        return features(mail, true, effort);
    }

    private List<Features> features(MailContent mail, boolean explained, Effort effort) {
        Markup markup = keys.keySet().equals(Set.of(HashKind.CHARS)) ? null : mail.markup(effort);
        List<WebAddress> addresses = markup == null || Collections.disjoint(keys.keySet(), OF_ADDRESSES)
                ? null
                : WebAddress.of(markup, suffixes, effort);
        List<Features> all = new ArrayList<>();
        keys.forEach((kind, key) -> all.add(switch (kind) {
            case SOURCE -> source(kind, key, markup, explained, effort);
            case CHARS -> chars(kind, key, mail, explained, effort);
            case LINKS -> links(kind, key, addresses, explained, effort);
            case PICTURE -> pictures(kind, key, addresses);
            case SUBJECT -> subject(kind, key, mail, markup, effort);
            case TOKEN -> tokens(kind, key, addresses);
            case TEXT, SHORT_TEXT, HTML, HTML_WITH_DOMAINS, IMAGE, ARCHIVE, ATTACHMENT, CONTENT ->
                throw new IllegalArgumentException(kind + " is a kind of Rspamd");
        }));
        return all;
    }

    private static Features source(HashKind kind, Keys key, @Nullable Markup markup, boolean explained,
            Effort effort) {
        if (markup == null) {
            return Features.none(kind, "it has no HTML");
        }
        Grams grams = new Grams(explained);
        SourceKind.read(markup, key.gram(), grams, effort);
        return near(kind, key, grams, SourceKind.LEAST, effort);
    }

    private static Features chars(HashKind kind, Keys key, MailContent mail, boolean explained, Effort effort) {
        Grams grams = new Grams(explained);
        CharsKind.read(mail.visible(), key.gram(), grams, effort);
        return near(kind, key, grams, CharsKind.LEAST, effort);
    }

    private static Features links(HashKind kind, Keys key, @Nullable List<WebAddress> addresses,
            boolean explained, Effort effort) {
        if (addresses == null) {
            return Features.none(kind, "it has no HTML");
        }
        Grams grams = new Grams(explained);
        LinksKind.read(addresses, key.gram(), grams);
        return near(kind, key, grams, LinksKind.LEAST, effort);
    }

    private static Features pictures(HashKind kind, Keys key, @Nullable List<WebAddress> addresses) {
        if (addresses == null) {
            return Features.none(kind, "it has no HTML");
        }
        List<String> pictures = PictureKind.read(addresses);
        if (pictures.isEmpty()) {
            return Features.none(kind, "it shows no remote picture of its own");
        }
        return new Features(kind, pictures.stream().map(picture -> exact(kind, key, picture)).toList(), pictures, "");
    }

    private static Features subject(HashKind kind, Keys key, MailContent mail, @Nullable Markup markup,
            Effort effort) {
        boolean linked = markup != null
                && markup.targets().stream().anyMatch(target -> target.role() == Markup.Role.LINK);
        String subject = SubjectKind.read(mail.subject(), linked, effort);
        return subject == null
                ? Features.none(kind, "its subject is too short, or that of an answer without a link")
                : new Features(kind, List.of(exact(kind, key, subject)), List.of(subject), "");
    }

    private static Features tokens(HashKind kind, Keys key, @Nullable List<WebAddress> addresses) {
        if (addresses == null) {
            return Features.none(kind, "it has no HTML");
        }
        List<String> forms = TokenKind.read(addresses);
        return forms.isEmpty()
                ? Features.none(kind, "no address has a token of numbers and words")
                : new Features(kind, forms.stream().map(form -> exact(kind, key, form)).toList(), forms, "");
    }

    private static KindHash exact(HashKind kind, Keys key, String content) {
        return new KindHash(kind, key.digest(content.getBytes(StandardCharsets.UTF_8)), NO_SHINGLES);
    }

    private static Features near(HashKind kind, Keys key, Grams grams, int least, Effort effort) {
        if (grams.count() < least || key.shingler() == null) {
            return Features.none(kind, grams.count() + " different pieces, and it takes " + least, grams.texts());
        }
        effort.spend(8 * grams.count());
        long[] sorted = Arrays.copyOf(grams.members(), grams.count());
        Arrays.sort(sorted);
        ByteBuffer set = ByteBuffer.allocate(Long.BYTES * sorted.length).order(ByteOrder.LITTLE_ENDIAN);
        set.asLongBuffer().put(sorted);
        return new Features(kind, List.of(new KindHash(kind, key.digest(set.array()),
                key.shingler().shingles(sorted, sorted.length))), grams.texts(), "");
    }
}
