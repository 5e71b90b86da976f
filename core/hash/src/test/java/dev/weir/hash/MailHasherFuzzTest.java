package dev.weir.hash;

import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.shingle.Shingler;

/**
 * Fuzz test of hashing: for any mail it terminates, throws nothing, and returns the same well-formed hashes every time.
 */
final class MailHasherFuzzTest {
    private static final MailHasher HASHER = MailHasher.standard();
    private static final HashRule RULE = HashRule.shipped().toBuilder().algorithm(HashAlgorithm.FASTHASH).htmlShingles(
            true).ignoreLinkDomains(true).minHtmlTags(0).minBytes(0).minWidth(0).minHeight(0).build();

    @FuzzTest(maxDuration = "10s")
    void hashes(byte[] mail) {
        List<FuzzyHash> hashes;
        try {
            hashes = HASHER.hash(mail, RULE);
        } catch (NotHashedException tooCostly) {
            if (tooCostly.reason() == NotHashedException.Reason.TIME) {
                throw tooCostly;
            }
            return;
        }
        for (FuzzyHash hash : hashes) {
            int shingles = hash.shingles().length;
            boolean expectsShingles = switch (hash.kind()) {
                case TEXT, HTML, HTML_WITH_DOMAINS, SOURCE, CHARS, LINKS -> true;
                case SHORT_TEXT, IMAGE, ARCHIVE, ATTACHMENT, CONTENT, PICTURE, SUBJECT, TOKEN -> false;
            };
            if (hash.digest().length != 64 || shingles != (expectsShingles ? Shingler.COUNT : 0)) {
                throw new AssertionError("malformed hash " + hash + " with " + shingles + " shingles");
            }
        }
        if (!hashes.equals(HASHER.hash(mail, RULE))) {
            throw new AssertionError("the second run returned other hashes");
        }
    }
}
