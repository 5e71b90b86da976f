package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * The kind {@code links1}: the addresses of links, pictures and forms, without what differs from copy to copy.
 * Addresses at redirectors, mail services and brands are left out, because mails of any sender have them.
 */
final class LinksKind {
    /** Least number of different addresses. One alone would match every mail with only that one. */
    static final int LEAST = 2;
    private static final int STEPS_A_LINK = 256;
    private static final int LONGEST_WORD = 20;

    private LinksKind() {}

    /** Adds the addresses to {@code grams}. */
    static void read(Markup markup, PublicSuffixes suffixes, long key, Grams grams, Effort effort) {
        for (Markup.Target target : markup.targets()) {
            effort.spend(STEPS_A_LINK + target.address().length());
            String form = form(target, suffixes);
            if (form == null) {
                continue;
            }
            long hash = key;
            for (int i = 0; i < form.length(); i++) {
                hash = Grams.step(hash, form.charAt(i));
            }
            if (grams.add(hash)) {
                grams.text(form);
            }
        }
    }

    /** Returns the form of an address that is compared, or null if it is left out. */
    static @Nullable String form(Markup.Target target, PublicSuffixes suffixes) {
        Url url = Url.parseHref(target.address(), suffixes);
        if (url == null || !(url.scheme().equals("http") || url.scheme().equals("https"))) {
            return null;
        }
        String role = target.role().name().toLowerCase(Locale.ROOT) + " ";
        String path = path(url);
        SiteClass site = SiteClass.of(url.host());
        if (site == null) {
            return role + url.registrableDomain() + shape(path);
        }
        return switch (site) {
            case REDIRECTOR, MAILER, BRAND -> null;
            case CLOUD_HOST -> role + url.host() + shape(path);
            case CLOUD_PATH -> role + url.host() + bucket(path);
            case PICTURES -> role + url.host() + withoutQuery(path);
        };
    }

    /** Returns what follows the host, from a slash on; may be empty. */
    static String path(Url url) {
        String text = url.text();
        int from = text.indexOf('/', url.scheme().length() + 3);
        int query = text.indexOf('?', url.scheme().length() + 3);
        if (from < 0 || (query >= 0 && query < from)) {
            return query < 0 ? "" : "/" + text.substring(query);
        }
        return text.substring(from);
    }

    static String withoutQuery(String path) {
        int end = path.indexOf('?');
        int fragment = path.indexOf('#');
        if (end < 0 || (fragment >= 0 && fragment < end)) {
            end = fragment;
        }
        return end < 0 ? path : path.substring(0, end);
    }

    /** Returns the path up to the first long or odd segment, which names the customer. */
    private static String bucket(String path) {
        String[] segments = withoutQuery(path).split("/", 8);
        StringBuilder out = new StringBuilder();
        for (int i = 1; i < Math.min(segments.length, 7); i++) {
            out.append('/').append(segments[i]);
            if (segments[i].length() > 5) {
                break;
            }
        }
        return out.toString();
    }

    private static String shape(String path) {
        String plain = withoutQuery(path);
        StringBuilder out = new StringBuilder();
        for (String segment : plain.split("/", 12)) {
            if (!segment.isEmpty()) {
                out.append('/').append(shapeOf(segment));
            }
        }
        int query = path.indexOf('?');
        if (query >= 0) {
            int end = path.indexOf('#', query);
            out.append('?').append(String.join("&", names(path.substring(query + 1, end < 0 ? path.length() : end))));
        }
        return out.toString();
    }

    private static Set<String> names(String query) {
        Set<String> names = new TreeSet<>();
        List<String> parameters = new ArrayList<>(Arrays.asList(query.split("&", 12)));
        for (String parameter : parameters) {
            int equals = parameter.indexOf('=');
            names.add(equals < 0 ? "" : shapeOf(parameter.substring(0, equals)));
        }
        return names;
    }

    /** Returns a word as it is, and a class for what is probably random; an extension stays. */
    private static String shapeOf(String segment) {
        int dot = segment.lastIndexOf('.');
        if (dot > 0 && segment.length() - dot <= 5) {
            return shapeOf(segment.substring(0, dot)) + segment.substring(dot).toLowerCase(Locale.ROOT);
        }
        boolean digits = false;
        boolean letters = false;
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            digits |= c >= '0' && c <= '9';
            letters |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        }
        if (digits) {
            return letters ? "x" : "9";
        }
        return segment.length() <= LONGEST_WORD ? segment.toLowerCase(Locale.ROOT) : "w";
    }
}
