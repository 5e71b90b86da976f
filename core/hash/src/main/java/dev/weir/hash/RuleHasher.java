package dev.weir.hash;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.weir.hash.PartVerdict.Reason;
import dev.weir.hash.PartVerdict.Refusal;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.shingle.Shingler;
import dev.weir.hash.shingle.WordList;
import org.jspecify.annotations.Nullable;

/**
 * The hashing of one mail for one rule: decides for each part which hashes to make
 * (docs/reference/hashing.md#conditions).
 */
final class RuleHasher {
    /** Fixed cost of one part in addition to its bytes, in units of {@link Effort#spend}. */
    private static final int STEPS = 1_000;
    private static final long[] NO_SHINGLES = {};
    /** Texts with fewer words get no shingles. */
    private static final int FEWEST_WORDS = 32;
    private static final int FEWEST_CJK_WORDS = 12;
    /** HTML with fewer links or levels is too uniform for a structure hash. */
    private static final int FEWEST_LINKS = 2;
    private static final int LEAST_DEPTH = 3;

    private final AnalyzedMail mail;
    private final HashRule rule;
    private final Skip skip;
    private final Effort effort;
    private boolean subjectRead;
    private final Set<ByteBuffer> digests = new HashSet<>();
    /** Hashes of the current part. */
    private List<FuzzyHash> hashes = new ArrayList<>();
    private List<Refusal> refusals = new ArrayList<>();

    private enum Length {
        LONG, SHORT, REFUSED
    }

    RuleHasher(AnalyzedMail mail, HashRule rule, Skip skip, Effort effort) {
        this.mail = mail;
        this.rule = rule;
        this.skip = skip;
        this.effort = effort;
    }

    List<PartVerdict> verdicts() {
        List<PartVerdict> verdicts = new ArrayList<>(mail.parts().size());
        for (MimePart part : mail.parts()) {
            effort.spend(STEPS + part.body().length);
            hashes = new ArrayList<>(2);
            refusals = new ArrayList<>(2);
            switch (part.kind()) {
                case MULTIPART -> {
                }
                case TEXT -> text(part, mail.text(part.number()));
                case IMAGE -> image(part);
                case ARCHIVE -> {
                    if (rule.scanArchives()) {
                        addUnlessKnown(HashKind.ARCHIVE, part, part.digest(), NO_SHINGLES);
                    } else {
                        refuse(HashKind.ARCHIVE, Reason.SWITCHED_OFF);
                        attachment(part);
                    }
                }
                case SPECIAL, MESSAGE, OTHER -> attachment(part);
            }
            verdicts.add(new PartVerdict(part, hashes, refusals));
        }
        return verdicts;
    }

    private void refuse(HashKind kind, Reason reason) {
        refusals.add(new Refusal(kind, reason));
    }

    /**
     * Records a refusal if {@code actual} is less than {@code needed}.
     *
     * @return whether it recorded one
     */
    private boolean lacks(HashKind kind, Reason reason, long actual, long needed) {
        if (actual < needed) {
            refusals.add(new Refusal(kind, reason, actual, needed));
            return true;
        }
        return false;
    }

    private void text(MimePart part, AnalyzedMail.@Nullable Text text) {
        if (text == null || skip.texts()) {
            refuse(HashKind.TEXT, Reason.SKIPPED);
            if (rule.htmlShingles() && part.isHtml()) {
                refuse(HashKind.HTML, Reason.SKIPPED);
            }
            return;
        }
        if (!rule.textHashes()) {
            refuse(HashKind.TEXT, Reason.SWITCHED_OFF);
        }
        Length length = rule.textHashes() ? length(part, text) : Length.REFUSED;
        if (rule.htmlShingles()) {
            structure(part, text.html(), length == Length.REFUSED && rule.textHashes());
        }
        switch (length) {
            case LONG -> {
                WordList stems = text.words().stems(effort);
                addUnlessKnown(HashKind.TEXT, part, rule.digest(stems), rule.shingler().text(stems));
            }
            case SHORT -> addUnlessKnown(HashKind.SHORT_TEXT, part, shortDigest(text), NO_SHINGLES);
            case REFUSED -> {
            }
        }
    }

    private void structure(MimePart part, @Nullable HtmlDocument html, boolean textRefused) {
        if (html == null) {
            refuse(HashKind.HTML, Reason.NOT_HTML);
        } else if (textRefused && rule.htmlNeedsText()) {
            refuse(HashKind.HTML, Reason.TEXT_REFUSED);
        } else {
            html(part, html);
        }
    }

    private Length length(MimePart part, AnalyzedMail.Text text) {
        if (!rule.textShingles()) {
            refuse(HashKind.TEXT, Reason.SWITCHED_OFF);
            return isLargeEnough(part, text) ? Length.SHORT : Length.REFUSED;
        }
        int words = text.words().wordCount();
        boolean cjk = text.words().isJapaneseOrKorean();
        int fewest = Math.max(rule.minLength(), 0);
        fewest = cjk ? Math.max(fewest / 3, FEWEST_CJK_WORDS) : Math.max(fewest, FEWEST_WORDS);
        if (!lacks(HashKind.TEXT, Reason.TOO_FEW_WORDS, words, fewest)) {
            return Length.LONG;
        }
        if (!rule.shortTextDirectHash()) {
            refuse(HashKind.SHORT_TEXT, Reason.SWITCHED_OFF);
            return Length.REFUSED;
        }
        return isLargeEnough(part, text) ? Length.SHORT : Length.REFUSED;
    }

    private boolean isLargeEnough(MimePart part, AnalyzedMail.Text text) {
        if (part.body().length == 0) {
            refuse(HashKind.SHORT_TEXT, Reason.EMPTY);
            return false;
        }
        if (rule.minBytes() <= 0) {
            return true;
        }
        byte[] subject = subject();
        double size = text.words().stripped().length + (subject == null ? 0 : subject.length);
        size *= rule.textMultiplier();
        if (text.words().isJapaneseOrKorean()) {
            size *= 3;
        }
        if (size < rule.minBytes()) {
            refusals.add(new Refusal(HashKind.SHORT_TEXT, Reason.TOO_SMALL, (long) size, rule.minBytes()));
            return false;
        }
        return true;
    }

    private byte @Nullable [] subject() {
        return rule.noSubject() ? null : mail.subject();
    }

    private byte[] shortDigest(AnalyzedMail.Text text) {
        byte[] subject = subject();
        byte[] stripped = text.words().stripped();
        if (subject != null) {
            // Every short text is hashed together with the whole subject, so the subject is read again.
            effort.repeat(subjectRead ? subject.length : 0);
            subjectRead = true;
        }
        return rule.digest(subject == null ? List.of(stripped) : List.of(stripped, subject));
    }

    private void html(MimePart part, HtmlDocument html) {
        if (lacks(HashKind.HTML, Reason.TOO_FEW_TAGS, html.tagsCount(), rule.minHtmlTags())
                || lacks(HashKind.HTML, Reason.TOO_FEW_LINKS, html.totalLinks(), FEWEST_LINKS)
                || lacks(HashKind.HTML, Reason.TOO_FLAT, html.maxDepth(), LEAST_DEPTH)) {
            return;
        }
        if (rule.ignoreLinkDomains()) {
            addHtml(HashKind.HTML, part, html, false);
            addHtml(HashKind.HTML_WITH_DOMAINS, part, html, true);
        } else {
            addHtml(HashKind.HTML, part, html, true);
        }
    }

    private void addHtml(HashKind kind, MimePart part, HtmlDocument html, boolean withDomains) {
        WordList tokens = WordList.of(Shingler.utf8(html.tokens(withDomains)));
        if (!tokens.isEmpty()) {
            byte[] digest = rule.htmlDigest(tokens);
            digests.add(ByteBuffer.wrap(digest));
            hashes.add(new FuzzyHash(kind, part.number(), digest, rule.shingler().html(tokens),
                    rule.htmlSides() ? rule.sides(html.structure()) : null));
        } else {
            refuse(kind, Reason.EMPTY);
        }
    }

    private void image(MimePart part) {
        if (rule.skipImages()) {
            refuse(HashKind.IMAGE, Reason.SWITCHED_OFF);
        } else if (skip.images()) {
            refuse(HashKind.IMAGE, Reason.SKIPPED);
        } else if (takesPixels(part) && isLargeEnough(HashKind.IMAGE, part)) {
            addUnlessKnown(HashKind.IMAGE, part, part.digest(), NO_SHINGLES);
        }
    }

    private boolean takesPixels(MimePart part) {
        // If both limits are zero, the test is off. If one is zero, only the other applies.
        return !lacks(HashKind.IMAGE, Reason.TOO_LOW, part.height(), rule.minHeight())
                && !lacks(HashKind.IMAGE, Reason.TOO_NARROW, part.width(), rule.minWidth());
    }

    private void attachment(MimePart part) {
        String detected = part.detectedMediaType();
        if (!part.isAttachment()) {
            refuse(HashKind.ATTACHMENT, Reason.NOT_ATTACHED);
        } else if (!rule.takesAllMediaTypes() && !rule.takesMediaType(part.mediaType())
                && (detected == null || !rule.takesMediaType(detected))) {
            refuse(HashKind.ATTACHMENT, Reason.TYPE_NOT_LISTED);
        } else if (isLargeEnough(HashKind.ATTACHMENT, part)) {
            addUnlessKnown(HashKind.ATTACHMENT, part, part.digest(), NO_SHINGLES);
        }
    }

    private boolean isLargeEnough(HashKind kind, MimePart part) {
        if (part.body().length == 0) {
            refuse(kind, Reason.EMPTY);
            return false;
        }
        return !lacks(kind, Reason.TOO_SMALL, part.body().length, rule.minBytes());
    }

    private void addUnlessKnown(HashKind kind, MimePart part, byte[] digest, long[] shingles) {
        if (digests.add(ByteBuffer.wrap(digest))) {
            hashes.add(new FuzzyHash(kind, part.number(), digest, shingles, null));
        } else {
            refuse(kind, Reason.REPEATED);
        }
    }
}
