package dev.weir.scan.mail;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.hash.url.PublicSuffixes;
import org.jspecify.annotations.Nullable;

/**
 * The sender that a trusted host authenticated with DKIM, as it states in the field Authentication-Results (RFC 8601).
 *
 * <p>Only the first such field of a trusted host counts: a mail server adds its own at the top, and must remove those
 * that pretend to be its own. The parser reads at most {@value #MOST} characters and ignores what it does not
 * understand.
 */
public final class AuthenticationResults {
    private static final int MOST = 16_384;

    private AuthenticationResults() {}

    /**
     * Returns the registrable domain of From, if a trusted host found a valid signature of the same registrable domain
     * (relaxed alignment, RFC 7489 section 3.1.1). Empty if the mail has several From fields.
     *
     * @param trusted the names by which the trusted hosts call themselves, in lower case
     */
    public static Optional<String> alignedDomain(MailHeaders headers, Set<String> trusted, PublicSuffixes suffixes) {
        return aligned(headers, "From", trusted, suffixes);
    }

    /**
     * Returns the same for the field Sender, in which a platform names itself when it sends in the name of its user
     * (RFC 5322, section 3.6.2), such as an invitation of a calendar. The signature proves that the platform sent the
     * mail, and nothing about From.
     */
    public static Optional<String> alignedSender(MailHeaders headers, Set<String> trusted, PublicSuffixes suffixes) {
        return aligned(headers, "Sender", trusted, suffixes);
    }

    private static Optional<String> aligned(MailHeaders headers, String name, Set<String> trusted,
            PublicSuffixes suffixes) {
        if (trusted.isEmpty() || headers.all(name).size() != 1) {
            return Optional.empty();
        }
        Optional<String> domain = headers.domain(name).map(host -> registrable(host, suffixes));
        if (domain.isEmpty()) {
            return Optional.empty();
        }
        for (String field : headers.all("Authentication-Results")) {
            List<List<String>> results = parse(field);
            if (!results.isEmpty() && !results.getFirst().isEmpty()
                    && trusted.contains(results.getFirst().getFirst().toLowerCase(Locale.ROOT))) {
                return signers(results).stream().map(signer -> registrable(signer, suffixes))
                        .filter(domain.get()::equals).findFirst();
            }
        }
        return Optional.empty();
    }

    private static String registrable(String domain, PublicSuffixes suffixes) {
        String lower = domain.toLowerCase(Locale.ROOT);
        @Nullable
        String found = suffixes.registrableDomain(lower);
        return found == null ? lower : found;
    }

    /** Returns the domains with a valid signature. */
    private static Set<String> signers(List<List<String>> results) {
        Set<String> domains = new HashSet<>();
        for (List<String> result : results.subList(1, results.size())) {
            if (!result.isEmpty() && result.getFirst().equalsIgnoreCase("dkim=pass")) {
                for (String word : result) {
                    String lower = word.toLowerCase(Locale.ROOT);
                    if (lower.startsWith("header.d=")) {
                        domains.add(lower.substring("header.d=".length()));
                    } else if (lower.startsWith("header.i=")) {
                        // Some hosts name only the identity, whose domain is that of the signature or below it.
                        domains.add(lower.substring(lower.lastIndexOf('@') + 1));
                    }
                }
            }
        }
        return domains;
    }

    /** Returns the words of each part between semicolons, without comments and quotes. */
    static List<List<String>> parse(String field) {
        List<List<String>> parts = new ArrayList<>();
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < Math.min(field.length(), MOST); i++) {
            char c = field.charAt(i);
            if (c == '\\' && (quoted || depth > 0)) {
                i++;
                if (quoted && depth == 0 && i < field.length()) {
                    word.append(field.charAt(i));
                }
            } else if (c == '"' && depth == 0) {
                quoted = !quoted;
            } else if (quoted) {
                word.append(c);
            } else if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth = Math.max(0, depth - 1);
            } else if (depth == 0) {
                if (c == ';' || c <= ' ') {
                    end(words, word);
                } else {
                    word.append(c);
                }
                if (c == ';') {
                    parts.add(List.copyOf(words));
                    words.clear();
                }
            }
        }
        end(words, word);
        parts.add(List.copyOf(words));
        return parts;
    }

    private static void end(List<String> words, StringBuilder word) {
        if (!word.isEmpty()) {
            words.add(word.toString());
            word.setLength(0);
        }
    }
}
