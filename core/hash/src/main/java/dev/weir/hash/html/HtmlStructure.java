package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import dev.weir.hash.shingle.Blake2b;

/**
 * The structure of an HTML part: one token per tag, the domains of its links, and a few counts
 * (docs/reference/hashing.md#html-structure). Two letters made from one template have the same structure whatever their
 * text.
 *
 * @param tokens one per tag, in document order: {@code name[.class][@domain]}
 * @param tokensNoDomains the same tokens without domains
 * @param domains every registrable domain in a token, as often as it occurs
 * @param callToAction weight by distinct URL in its comparison form, from 0 to 1: how much the URL looks like the link
 * that the reader is meant to click
 * @param callToActionDomains domains of URLs that weigh more than {@value #CALL_TO_ACTION}, sorted, distinct
 * @param tagsCount opening tags, comments and declarations
 * @param totalLinks tags with a URL
 * @param maxDepth depth of the deepest tag; the root has depth 0
 * @param images tags that display an image
 * @param forms tags that start a form
 * @param passwordInput whether the document asks for a password
 */
public record HtmlStructure(List<String> tokens, List<String> tokensNoDomains, List<String> domains,
        Map<String, Float> callToAction, List<String> callToActionDomains, int tagsCount, int totalLinks, int maxDepth,
        int images, int forms, boolean passwordInput) {

    /** Weight above which a URL counts as a call to action. */
    static final float CALL_TO_ACTION = 0.3f;
    private static final int HASHED_DOMAINS = 10;
    private static final int[] TAG_LIMITS = {10, 50, 100, 200, 500};
    private static final int[] LINK_LIMITS = {5, 10, 20, 50, 100};
    private static final int[] DEPTH_LIMITS = {5, 10, 15, 20, 30};
    private static final int[] IMAGE_LIMITS = {1, 5, 10, 20, 50};

    public HtmlStructure {
        tokens = List.copyOf(tokens);
        tokensNoDomains = List.copyOf(tokensNoDomains);
        domains = List.copyOf(domains);
        callToAction = Map.copyOf(callToAction);
        callToActionDomains = List.copyOf(callToActionDomains);
    }

    static HtmlStructure of(List<HtmlNode> nodes, int tagsCount, int totalLinks, Map<String, Float> weights) {
        List<String> tokens = new ArrayList<>();
        List<String> bare = new ArrayList<>();
        List<String> domains = new ArrayList<>();
        TreeSet<String> wanted = new TreeSet<>();
        int maxDepth = 0;
        int images = 0;
        int forms = 0;
        boolean password = false;
        for (HtmlNode node : nodes) {
            if (node.kind == HtmlNode.Kind.STRAY) {
                continue;
            }
            maxDepth = Math.max(maxDepth, node.depth());
            if (node.kind != HtmlNode.Kind.TAG || node.ignored) {
                continue;
            }
            String token = StructureTokens.of(node);
            bare.add(token);
            if (node.url == null) {
                tokens.add(token);
            } else {
                String domain = node.url.registrableDomain();
                tokens.add(token + "@" + domain);
                domains.add(domain);
                if (weights.getOrDefault(node.url.text(), 0f) > CALL_TO_ACTION) {
                    wanted.add(domain);
                }
            }
            images += node.isTag(TagName.IMG) ? 1 : 0;
            forms += node.isTag(TagName.FORM) ? 1 : 0;
            password |= node.isTag(TagName.INPUT) && StructureTokens.isPassword(node);
        }
        return new HtmlStructure(tokens, bare, domains, weights, List.copyOf(wanted), tagsCount, totalLinks, maxDepth,
                images,
                forms, password);
    }

    /**
     * Returns the digest of the {@code html} command (docs/reference/hashing.md#html-hashes).
     *
     * @param shinglesKey 16 bytes
     * @param withDomains whether to include the domains
     */
    public byte[] digest(byte[] shinglesKey, boolean withDomains) {
        List<byte[]> parts = new ArrayList<>();
        for (String token : withDomains ? tokens : tokensNoDomains) {
            parts.add(token.getBytes(StandardCharsets.UTF_8));
        }
        return Blake2b.digest512(shinglesKey, parts);
    }

    /**
     * Returns the side hashes (docs/reference/hashing.md#side-hashes).
     *
     * @param shinglesKey 16 bytes
     */
    public HtmlSideHashes sideHashes(byte[] shinglesKey) {
        byte[] features = {bucket(tagsCount, TAG_LIMITS), bucket(totalLinks, LINK_LIMITS),
            bucket(maxDepth, DEPTH_LIMITS),
            bucket(images, IMAGE_LIMITS), (byte) (forms > 0 ? 1 : 0), (byte) (passwordInput ? 1 : 0)};
        return new HtmlSideHashes(HtmlSideHashes.hash(shinglesKey, mostFrequentDomains()),
                HtmlSideHashes.hash(shinglesKey, callToActionDomains),
                HtmlSideHashes.first8(Blake2b.digest512(shinglesKey, features)));
    }

    private List<String> mostFrequentDomains() {
        Map<String, Integer> counts = new HashMap<>();
        domains.forEach(domain -> counts.merge(domain, 1, Integer::sum));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(HASHED_DOMAINS).map(Map.Entry::getKey).toList();
    }

    /** Returns the index of the first limit above the value. */
    private static byte bucket(int value, int[] limits) {
        byte bucket = 0;
        while (bucket < limits.length && value >= limits[bucket]) {
            bucket++;
        }
        return bucket;
    }
}
