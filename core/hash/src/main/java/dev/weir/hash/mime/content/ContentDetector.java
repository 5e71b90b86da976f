package dev.weir.hash.mime.content;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

import dev.weir.hash.mime.header.ContentType;
import org.jspecify.annotations.Nullable;

/**
 * Detection of the content type of a part, independent of its headers where possible
 * (docs/reference/hashing.md#content-detection).
 */
public final class ContentDetector {
    private static final int MIMETYPE_SEARCHED = 128;
    private static final int ENOUGH = 40;

    private ContentDetector() {}

    /**
     * Returns the detected type, or null. Zip archives are refined by their entries, for example to office documents or
     * jars.
     */
    public static @Nullable DetectedType detect(byte[] body, ContentType declared, @Nullable String fileName,
            boolean encrypted) {
        if (body.length == 0) {
            return null;
        }
        String id = MimeSignatures.detect(body, fileName);
        if (id != null) {
            return DetectedType.of(id.equals("zip") ? refineZip(body) : id);
        }
        if (fileName != null && fileName.toLowerCase(Locale.ROOT).endsWith(".eml")) {
            return DetectedType.of("eml");
        }
        if (declared.isEmbeddedMessage()) {
            return null;
        }
        id = TextHeuristic.detect(body, declared, fileName, encrypted);
        return id == null ? null : DetectedType.of(id);
    }

    private static String refineZip(byte[] body) {
        List<String> names = ZipDirectory.names(body);
        if (names != null) {
            String byNames = byEntryNames(names);
            if (byNames != null) {
                return byNames;
            }
        }
        String head = new String(body, 0, Math.min(body.length, MIMETYPE_SEARCHED), StandardCharsets.ISO_8859_1);
        if (head.contains("mimetypeapplication/vnd.oasis.opendocument.text")) {
            return "odt";
        }
        if (head.contains("mimetypeapplication/vnd.oasis.opendocument.spreadsheet")) {
            return "ods";
        }
        if (head.contains("mimetypeapplication/vnd.oasis.opendocument.presentation")) {
            return "odp";
        }
        if (head.contains("mimetypeapplication/epub+zip")) {
            return "epub";
        }
        if (head.contains("mimetypeapplication/vnd.etsi.asic-e+zip")) {
            return "asice";
        }
        return head.contains("mimetypeapplication/vnd.etsi.asic-s+zip") ? "asics" : "zip";
    }

    private static @Nullable String byEntryNames(List<String> names) {
        int docx = 0;
        int xlsx = 0;
        int pptx = 0;
        int jar = 0;
        int apk = 0;
        for (String name : names) {
            switch (name) {
                case "[Content_Types].xml" -> {
                    docx += 10;
                    xlsx += 10;
                    pptx += 10;
                }
                case "META-INF/MANIFEST.MF" -> jar += 40;
                case "AndroidManifest.xml" -> apk += 60;
                default -> {
                    docx += name.startsWith("word/") ? 30 : 0;
                    xlsx += name.startsWith("xl/") ? 30 : 0;
                    pptx += name.startsWith("ppt/") ? 30 : 0;
                }
            }
        }
        int best = Math.max(Math.max(docx, xlsx), Math.max(pptx, Math.max(jar, apk)));
        if (best < ENOUGH) {
            return null;
        }
        return best == apk ? "apk" : best == jar ? "jar" : best == docx ? "docx" : best == xlsx ? "xlsx" : "pptx";
    }
}
