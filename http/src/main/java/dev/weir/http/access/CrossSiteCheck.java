package dev.weir.http.access;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;

/**
 * The check that keeps a browser on a trusted machine from acting for a page of another site. Other programs send none
 * of the headers that this class inspects, or arbitrary ones; a browser sends them and does not let a page forge them.
 */
public final class CrossSiteCheck {
    private static final Set<String> OWN = Set.of("none", "same-origin");
    /** Headers of Rspamd's clients; a page cannot add them to a request for another site without asking that site. */
    private static final List<String> CLIENTS = List.of("flag", "symbol", "hash", "filename", "password");

    private CrossSiteCheck() {}

    /** Returns whether a page of another site sends it. */
    static boolean isForeign(HttpHead head) {
        return isForeign(head.outer()) || isForeign(head.headers());
    }

    private static boolean isForeign(HttpHeaders headers) {
        List<String> sites = headers.all("sec-fetch-site");
        if (!sites.isEmpty()) {
            return sites.stream().anyMatch(site -> !OWN.contains(site.toLowerCase(Locale.ROOT)));
        }
        // Browsers tell the site only where the connection cannot be changed on its way.
        String host = headers.first("host").orElse("");
        return headers.all("origin").stream()
                .anyMatch(origin -> !origin.replaceFirst("^https?://", "").equalsIgnoreCase(host));
    }

    /**
     * Whether the name that it was asked under is one of this server's. A page may have been loaded from a name whose
     * address was then changed to this machine's; it is the same site for the browser.
     *
     * @param names further ones, in lower case
     */
    static boolean isForKnownHost(HttpHead head, Set<String> names) {
        return isKnown(head.outer(), names) && isKnown(head.headers(), names);
    }

    private static boolean isKnown(HttpHeaders headers, Set<String> names) {
        return headers.all("host").stream().allMatch(text -> {
            String host = Literal.withoutPort(text).toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
            return host.equals("localhost") || names.contains(host) || Literal.address(host).isPresent();
        });
    }

    /**
     * Whether a request may change something: a picture, a link or a form of a page may ask for any address by GET, and
     * browsers do not always tell whose page it is. A POST has an {@code Origin}.
     */
    public static boolean mayChange(HttpHead head) {
        return head.method().equals("POST") || CLIENTS.stream().anyMatch(head.headers()::has);
    }
}
