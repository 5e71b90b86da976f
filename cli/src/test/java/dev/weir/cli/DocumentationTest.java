package dev.weir.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks that pages and comments refer only to existing files, anchors, classes and folders. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$", Pattern.MULTILINE);
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern CODE_SPAN = Pattern.compile("`([^`\n]+)`");

    private static final Pattern CITATION = Pattern.compile("\\bdocs/([\\w/-]+\\.md)(?:#([\\w-]+))?");
    private static final Pattern OLD_CITATION = Pattern
            .compile("\\b(?:storage|wire|replication|hashing)\\.md §?\\d|\\bspec(?:ification)? \\d|\\bspec/");

    private static final Pattern QUALIFIED = Pattern.compile("dev\\.weir\\.[\\w.]+");
    private static final Pattern TYPE = Pattern.compile("([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?:\\.\\w+)*(?:\\(.*\\))?");
    private static final Pattern SOURCE_PATH = Pattern.compile("([a-z]+)/((?:[\\w.-]+/)*[\\w.-]+)/?");

    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z0-9-]+");
    private static final Pattern OPTION_IN_CODE = Pattern.compile("\"(--[a-z][a-z0-9-]+)");
    private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z]\\w*[a-z](?![*\\w])");

    /** The folders with modules. */
    private static final Set<String> GROUPS = Set.of("core", "storage", "mail", "lab", "cli", "packages");

    /** Tables of {@code fuzzy.db}, and a file of Rspamd for the plugin, which begin like metrics. */
    private static final Set<String> TABLES = Set.of("weir_audit", "weir_flags", "weir_renewals", "weir_signatures",
            "weir_state", "weir_group");

    /** Options of git, tar, curl, java, redis-server, setpriv and SpamAssassin. */
    private static final Set<String> FOREIGN_OPTIONS = Set.of("--allow-tell", "--appendonly", "--branch", "--cert",
            "--data-binary", "--enable-native-access", "--forget", "--group", "--init-groups", "--lint", "--mode",
            "--mtime", "--numeric-owner", "--owner", "--regid", "--report", "--reuid", "--revoke", "--transform");

    /** The plugin for SpamAssassin, whose options begin like metrics. */
    private static final Path PLUGIN = ROOT.resolve("packages/spamassassin/Weir.pm");
    private static final Pattern OPTION_OF_PLUGIN = Pattern.compile("setting => '(weir_\\w+)'");

    /** Names of other projects that look like types of this project. */
    private static final Set<String> FOREIGN = Set.of("RuntimeMaxSec", "TimeoutStopSec", "TimeoutStartSec",
            "LimitNOFILE",
            "StateDirectory", "LoadCredential", "ExecStart", "ExecReload", "DynamicUser", "MemoryMax",
            "SuccessExitStatus",
            "ProtectSystem", "PrivateTmp", "ReadWritePaths", "UnixCompressedOops");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT); Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                files.filter(file -> file.toString().matches(".*\\.(java|tsv|lua|sql|sh|c|txt)"))
                        .forEach(sources::add);
            }
        }
        return sources;
    }

    /** Returns the folders of the modules, such as cli and core/wire. */
    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.walk(ROOT, 2)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src"))).toList();
        }
    }

    private static String text(Path file) {
        try {
            // Some test data is not UTF-8; references are ASCII.
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String place(Path file, String text, int position) {
        long line = text.substring(0, position).chars().filter(c -> c == '\n').count() + 1;
        return (file.startsWith(ROOT) ? ROOT.relativize(file) : file) + ":" + line;
    }

    /** Returns the anchors of a page, as GitHub derives them from headings. */
    private static Set<String> anchors(Path page) {
        Set<String> anchors = new HashSet<>();
        String prose = FENCE.matcher(text(page)).replaceAll("");
        for (Matcher heading = HEADING.matcher(prose); heading.find();) {
            String words = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
            String slug = words.toLowerCase(Locale.ROOT).strip().replaceAll("[^\\w\\- ]", "").replace(' ', '-');
            for (int n = 0; !anchors.add(n == 0 ? slug : slug + "-" + n); n++) {
                // The anchors of equal headings get numbers.
            }
        }
        return anchors;
    }

    private static void checkTarget(Path target, String anchor, String place, String written, List<String> faults) {
        if (!Files.exists(target)) {
            faults.add(place + ": " + written + ": no such file");
        } else if (!anchor.isEmpty() && !anchors(target).contains(anchor)) {
            faults.add(place + ": " + written + ": no such heading; there are " + new TreeSet<>(anchors(target)));
        }
    }

    private static List<String> brokenLinks(Path page) {
        List<String> faults = new ArrayList<>();
        String text = text(page);
        for (Matcher link = LINK.matcher(text); link.find();) {
            String anchor = link.group(2) == null ? "" : link.group(2);
            if (!link.group(1).contains("://")) {
                Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
                checkTarget(target, target.toString().endsWith(".md") ? anchor : "", place(page, text, link.start()),
                        link.group(), faults);
            }
        }
        return faults;
    }

    private static List<String> brokenCitations(Path source) {
        List<String> faults = new ArrayList<>();
        String text = text(source);
        for (Matcher citation = CITATION.matcher(text); citation.find();) {
            checkTarget(ROOT.resolve("docs").resolve(citation.group(1)),
                    citation.group(2) == null ? "" : citation.group(2),
                    place(source, text, citation.start()), citation.group(), faults);
        }
        for (Matcher old = OLD_CITATION.matcher(text); old.find();) {
            faults.add(place(source, text, old.start()) + ": " + old.group()
                    + ": cite a page of the repository, as docs/reference/storage.md#expiry");
        }
        return faults;
    }

    private static List<String> unknownNames(Path page, Set<String> types) {
        List<String> faults = new ArrayList<>();
        String text = text(page);
        for (Matcher span = CODE_SPAN.matcher(text); span.find();) {
            String name = span.group(1);
            if (!exists(name, types)) {
                faults.add(place(page, text, span.start()) + ": `" + name + "`: no such class, package or file");
            }
        }
        return faults;
    }

    private static List<String> unknown(Pattern pattern, Path page, Set<String> known) {
        String text = text(page);
        return pattern.matcher(text).results().filter(found -> !known.contains(found.group()))
                .map(found -> place(page, text, found.start()) + ": " + found.group() + ": the code has no such name")
                .toList();
    }

    /** Returns the options of {@code weir}, of the programs in bench, and of other projects. */
    private static Set<String> options() throws IOException {
        Set<String> options = new HashSet<>(FOREIGN_OPTIONS);
        OPTION.matcher(text(ROOT.resolve("docs/reference/commands.md"))).results()
                .forEach(found -> options.add(found.group()));
        for (Path source : sources()) {
            if (source.startsWith(ROOT.resolve("lab/bench/src/main"))) {
                OPTION_IN_CODE.matcher(text(source)).results().forEach(found -> options.add(found.group(1)));
            }
        }
        return options;
    }

    /** Returns the metrics, and other names that begin like them. */
    private static Set<String> metrics() {
        Set<String> names = new HashSet<>(TABLES);
        OPTION_OF_PLUGIN.matcher(text(PLUGIN)).results().forEach(found -> names.add(found.group(1)));
        METRIC.matcher(text(ROOT.resolve("docs/reference/metrics.md"))).results()
                .forEach(found -> names.add(found.group()));
        return names;
    }

    private static boolean exists(String name, Set<String> types) {
        Matcher type = TYPE.matcher(name);
        if (type.matches()) {
            return types.contains(type.group(1)) || FOREIGN.contains(type.group(1)) || isJdkType(type.group(1));
        }
        if (QUALIFIED.matcher(name).matches()) {
            return types.contains(name.substring(name.lastIndexOf('.') + 1)) || isPackage(name);
        }
        Matcher path = SOURCE_PATH.matcher(name);
        if (path.matches() && GROUPS.contains(path.group(1))) {
            // A folder that the build creates may be missing.
            return path.group(2).contains("target") || Files.exists(ROOT.resolve(name))
                    || types.contains(name.substring(name.lastIndexOf('/') + 1)) || isPackageOfModule(path.group());
        }
        return true;
    }

    private static boolean isJdkType(String name) {
        return Stream
                .of("java.lang.", "java.util.", "java.util.concurrent.", "java.nio.", "java.nio.file.", "java.net.")
                .anyMatch(start -> {
                    try {
                        Class.forName(start + name, false, null);
                        return true;
                    } catch (ClassNotFoundException e) {
                        return false;
                    }
                });
    }

    private static boolean isPackage(String name) {
        try {
            String below = name.replace('.', '/');
            return modules().stream()
                    .anyMatch(module -> Files.isDirectory(module.resolve("src/main/java").resolve(below))
                            || Files.isDirectory(module.resolve("src/test/java").resolve(below)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether a path is that of a module with a package in it, such as core/wire/key or storage/engine/log. */
    private static boolean isPackageOfModule(String path) {
        try {
            for (Path module : modules()) {
                String folder = ROOT.relativize(module).toString();
                String below = folder.startsWith("storage/")
                        ? "storage"
                        : folder.substring(folder.lastIndexOf('/') + 1);
                if (path.startsWith(folder + "/") && Files.isDirectory(module.resolve("src/main/java/dev/weir")
                        .resolve(below).resolve(path.substring(folder.length() + 1)))) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> types() throws IOException {
        Pattern declaration = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
        Set<String> types = new HashSet<>();
        for (Path source : sources()) {
            if (source.toString().endsWith(".java")) {
                declaration.matcher(text(source)).results().forEach(found -> types.add(found.group(1)));
            }
        }
        return types;
    }

    @Test
    void everyLinkHasATarget() throws Exception {
        assertThat(pages()).hasSizeGreaterThan(20);
        assertThat(pages().stream().flatMap(page -> brokenLinks(page).stream())).isEmpty();
    }

    @Test
    void everyCitationHasATarget() throws Exception {
        assertThat(sources().stream().filter(source -> !source.endsWith("DocumentationTest.java"))
                .flatMap(source -> brokenCitations(source).stream())).isEmpty();
    }

    @Test
    void everyClassAndPathOfAPageExists() throws Exception {
        Set<String> types = types();
        assertThat(pages().stream().filter(page -> !page.endsWith("CHANGELOG.md"))
                .flatMap(page -> unknownNames(page, types).stream())).isEmpty();
    }

    /** Other tests compare the pages of commands and metrics with the code. Other pages must use names of these two. */
    @Test
    void everyOptionAndMetricOfAPageExists() throws Exception {
        Set<String> options = options();
        Set<String> metrics = metrics();
        assertThat(pages().stream().filter(page -> !page.endsWith("CHANGELOG.md")).flatMap(page -> Stream.concat(
                unknown(OPTION, page, options).stream(), unknown(METRIC, page, metrics).stream()))).isEmpty();
    }

    @Test
    void findsBrokenReferencesWithTheirLine() throws Exception {
        Path page = Files.writeString(folder.resolve("page.md"),
                "# A page\n\n[none](none.md) [none](#none) [here](#a-page)\n"
                        + "`NoSuchType` `DocumentationTest` `cli/NoSuchType`\n");
        assertThat(brokenLinks(page)).hasSize(2).allSatisfy(fault -> assertThat(fault).contains("page.md:3: "));
        assertThat(unknownNames(page, types())).hasSize(2)
                .allSatisfy(fault -> assertThat(fault).contains("page.md:4: `"));
        Path names = Files.writeString(folder.resolve("names.md"),
                "`--no-such-option` and --json\n`weir_storage_nothing` or weir_storage_hashes\n");
        assertThat(unknown(OPTION, names, options())).singleElement().asString().contains("names.md:1: --no-such");
        assertThat(unknown(METRIC, names, metrics())).singleElement().asString().contains("names.md:2: weir_");
        Path source = Files.writeString(folder.resolve("A.java"),
                "// docs/none.md\n// docs/index.md#none, docs/reference/glossary.md#glossary\n// storage.md 7.3\n");
        assertThat(brokenCitations(source).stream().map(fault -> fault.replaceAll(".*A\\.java:(\\d).*", "$1"))
                .collect(Collectors.joining())).isEqualTo("123");
    }
}
