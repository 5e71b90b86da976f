package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * An address of the web in an attribute, as the kinds that compare addresses need it.
 *
 * @param path what follows the host, with parameters; may be empty
 * @param site the use of the host; null for all hosts that are not in the list
 */
record WebAddress(Markup.Role role, Url url, String path, @Nullable SiteClass site) {
    private static final int STEPS = 256;

    /** Returns the addresses of HTML in order. All others, such as those of mailboxes, are left out. */
    static List<WebAddress> of(Markup markup, PublicSuffixes suffixes, Effort effort) {
        List<WebAddress> addresses = new ArrayList<>(markup.targets().size());
        for (Markup.Target target : markup.targets()) {
            effort.spend(STEPS + target.address().length());
            WebAddress address = of(target, suffixes);
            if (address != null) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    /** Returns null unless this is an address of the web. */
    static @Nullable WebAddress of(Markup.Target target, PublicSuffixes suffixes) {
        Url url = Url.parseHref(target.address(), suffixes);
        return url == null || !(url.scheme().equals("http") || url.scheme().equals("https"))
                ? null
                : new WebAddress(target.role(), url, path(url), SiteClass.of(url.host()));
    }

    private static String path(Url url) {
        String text = url.text();
        int from = text.indexOf('/', url.scheme().length() + 3);
        int query = text.indexOf('?', url.scheme().length() + 3);
        if (from < 0 || (query >= 0 && query < from)) {
            return query < 0 ? "" : "/" + text.substring(query);
        }
        return text.substring(from);
    }

    /** Returns the path without parameters and fragment. */
    String plainPath() {
        int end = path.indexOf('?');
        int fragment = path.indexOf('#');
        if (end < 0 || (fragment >= 0 && fragment < end)) {
            end = fragment;
        }
        return end < 0 ? path : path.substring(0, end);
    }
}
