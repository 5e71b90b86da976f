package dev.weir.hash;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.weir.hash.html.HtmlDocument;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.shingle.Shingler;
import org.jspecify.annotations.Nullable;

/** Walks the parts of one mail for one rule and decides which hash each gives (hashing specification 4.3, 5, 6.1). */
final class RuleHasher {
    private static final long[] NO_SHINGLES = {};
    /** Fewer words than this are never shingled. */
    private static final int FEWEST_WORDS = 32;
    private static final int FEWEST_CJK_WORDS = 12;
    /** Below these, the structure of HTML says too little to be hashed. */
    private static final int FEWEST_LINKS = 2;
    private static final int LEAST_DEPTH = 3;

    private final AnalyzedMail mail;
    private final HashRule rule;
    private final Skip skip;
    private final List<FuzzyHash> hashes = new ArrayList<>();
    private final Set<ByteBuffer> digests = new HashSet<>();

    private enum Length {
        LONG, SHORT, REFUSED
    }

    RuleHasher(AnalyzedMail mail, HashRule rule, Skip skip) {
        this.mail = mail;
        this.rule = rule;
        this.skip = skip;
    }

    List<FuzzyHash> hashes() {
        for (MimePart part : mail.parts()) {
            switch (part.kind()) {
                case MULTIPART -> {
                }
                case TEXT -> text(part, mail.text(part.number()));
                case IMAGE -> image(part);
                case ARCHIVE -> {
                    if (rule.scanArchives()) {
                        addUnlessKnown(HashKind.ARCHIVE, part, part.digest(), NO_SHINGLES);
                    } else {
                        attachment(part);
                    }
                }
                case SPECIAL, MESSAGE, OTHER -> attachment(part);
            }
        }
        return List.copyOf(hashes);
    }

    private void text(MimePart part, AnalyzedMail.@Nullable Text text) {
        if (text == null || skip.texts()) {
            return;
        }
        Length length = rule.textHashes() ? length(part, text) : Length.REFUSED;
        if (length == Length.REFUSED && rule.textHashes()) {
            return;
        }
        if (rule.htmlShingles() && text.html() != null) {
            html(part, text.html());
        }
        switch (length) {
            case LONG -> addUnlessKnown(HashKind.TEXT, part, rule.digest(text.words().stems()),
                    rule.shingler().text(text.words().stems()));
            case SHORT -> addUnlessKnown(HashKind.SHORT_TEXT, part, shortDigest(text), NO_SHINGLES);
            case REFUSED -> {
            }
        }
    }

    private Length length(MimePart part, AnalyzedMail.Text text) {
        if (!rule.textShingles()) {
            return isLargeEnough(part, text) ? Length.SHORT : Length.REFUSED;
        }
        int words = text.words().stems().size();
        boolean cjk = isCjk(text);
        int fewest = Math.max(rule.minLength(), 0);
        fewest = cjk ? Math.max(fewest / 3, FEWEST_CJK_WORDS) : Math.max(fewest, FEWEST_WORDS);
        if (words >= fewest) {
            return Length.LONG;
        }
        return rule.shortTextDirectHash() && isLargeEnough(part, text) ? Length.SHORT : Length.REFUSED;
    }

    private static boolean isCjk(AnalyzedMail.Text text) {
        return switch (text.words().language()) {
            case "ja", "zh", "ko" -> true;
            default -> false;
        };
    }

    private boolean isLargeEnough(MimePart part, AnalyzedMail.Text text) {
        if (part.body().length == 0) {
            return false;
        }
        if (rule.minBytes() <= 0) {
            return true;
        }
        byte[] subject = subject();
        double size = text.words().stripped().length + (subject == null ? 0 : subject.length);
        size *= rule.textMultiplier();
        if (isCjk(text)) {
            size *= 3;
        }
        return size >= rule.minBytes();
    }

    private byte @Nullable [] subject() {
        return rule.noSubject() ? null : mail.subject();
    }

    private byte[] shortDigest(AnalyzedMail.Text text) {
        byte[] subject = subject();
        byte[] stripped = text.words().stripped();
        return rule.digest(subject == null ? List.of(stripped) : List.of(stripped, subject));
    }

    private void html(MimePart part, HtmlDocument html) {
        if (html.tagsCount() < rule.minHtmlTags() || html.totalLinks() < FEWEST_LINKS
                || html.maxDepth() < LEAST_DEPTH) {
            return;
        }
        if (rule.ignoreLinkDomains()) {
            addHtml(HashKind.HTML, part, html.tokens(false));
            addHtml(HashKind.HTML_WITH_DOMAINS, part, html.tokens(true));
        } else {
            addHtml(HashKind.HTML, part, html.tokens(true));
        }
    }

    private void addHtml(HashKind kind, MimePart part, List<String> tokens) {
        List<byte[]> bytes = Shingler.utf8(tokens);
        if (!bytes.isEmpty()) {
            byte[] digest = rule.htmlDigest(bytes);
            digests.add(ByteBuffer.wrap(digest));
            hashes.add(new FuzzyHash(kind, part.number(), digest, rule.shingler().html(bytes)));
        }
    }

    private void image(MimePart part) {
        if (!rule.skipImages() && !skip.images() && rule.takesImage(part.width(), part.height())
                && isLargeEnough(part)) {
            addUnlessKnown(HashKind.IMAGE, part, part.digest(), NO_SHINGLES);
        }
    }

    private void attachment(MimePart part) {
        String detected = part.detectedMediaType();
        boolean wanted = part.isAttachment() && (rule.takesAllMediaTypes() || rule.takesMediaType(part.mediaType())
                || (detected != null && rule.takesMediaType(detected)));
        if (wanted && isLargeEnough(part)) {
            addUnlessKnown(HashKind.ATTACHMENT, part, part.digest(), NO_SHINGLES);
        }
    }

    private boolean isLargeEnough(MimePart part) {
        return part.body().length > 0 && part.body().length >= rule.minBytes();
    }

    private void addUnlessKnown(HashKind kind, MimePart part, byte[] digest, long[] shingles) {
        if (digests.add(ByteBuffer.wrap(digest))) {
            hashes.add(new FuzzyHash(kind, part.number(), digest, shingles));
        }
    }
}
