package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands and configurations in the pages below docs, as a reader copies them. */
class PageExamplesTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```$");
    private static final Pattern SPAN = Pattern.compile("(?<!`)`((?:\\./)?weir(?: [^`]+)?)`(?!`)");

    private static final Pattern SECTION = Pattern
            .compile("(worker|fuzzy_check|actions|waves|options|group|rule) [^\n]*\\{");

    private static final Pattern KEY = Pattern.compile("(p\\w+key) = \"(\\w+)\"");

    private static final Pattern TROUBLE = Pattern
            .compile("new Trouble\\(\\s*(?:String\\.format\\(Locale\\.ROOT,\\s*)?\"([^\"]+)\"");

    /** What no example can have: files and names of the reader. */
    private static final Pattern OF_THE_READER = Pattern.compile("there is no such file|there is no address for"
            + "|expected ssl_cert and ssl_key");

    @TempDir
    private Path folder = Path.of("");

    private record Example(Path page, String text) {
        @Override
        public String toString() {
            return DOCS.relativize(page) + ":\n" + text;
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            // The page of the commands is the output of the program, and has its usage instead of examples.
            return files.filter(file -> file.toString().endsWith(".md") && !file.endsWith("commands.md")).sorted()
                    .toList();
        }
    }

    private static List<Example> blocks() throws IOException {
        List<Example> blocks = new ArrayList<>();
        for (Path page : pages()) {
            for (Matcher block = BLOCK.matcher(Files.readString(page)); block.find();) {
                blocks.add(new Example(page, block.group(2)));
            }
        }
        return blocks;
    }

    /** The commands, those in a block with all that they need, and those in a sentence perhaps without. */
    private static List<Example> commands() throws IOException {
        List<Example> commands = new ArrayList<>();
        for (Example block : blocks()) {
            block.text().replace("\\\n", " ").lines().map(line -> line.replaceFirst(" +#.*", ""))
                    .flatMap(line -> Stream.of(line.split(";|\\||&&|[12&]?>|&$", -1))).map(String::strip)
                    .filter(line -> line.matches("(\\./)?weir .*") && !line.startsWith("./weir setup"))
                    .forEach(line -> commands.add(new Example(block.page(), line)));
        }
        return commands;
    }

    private static List<Example> mentions() throws IOException {
        List<Example> mentions = new ArrayList<>();
        for (Path page : pages()) {
            String prose = BLOCK.matcher(Files.readString(page)).replaceAll("");
            SPAN.matcher(prose).results().map(span -> span.group(1).split("\\\\?\\|", 2)[0])
                    .filter(command -> !command.startsWith("./weir setup"))
                    .forEach(command -> mentions.add(new Example(page, command)));
        }
        return mentions;
    }

    private static @Nullable ParameterException refusal(CommandLine weir, String command) {
        // Words in capitals stand for what only the reader knows.
        String[] words = command.replace("PUBKEY", "y".repeat(52)).replace("https://HOST:PORT", "https://localhost:1")
                .replace("--digest HEX", "--digest " + "0".repeat(128)).strip().split("\\s+", -1);
        try {
            weir.parseArgs(Stream.of(words).skip(1).toArray(String[]::new));
            return null;
        } catch (ParameterException e) {
            return e;
        }
    }

    @Test
    void weirAcceptsEveryCommandOfABlock() throws Exception {
        CommandLine weir = Main.commands();
        List<Example> commands = commands();
        assertThat(commands).hasSizeGreaterThan(80)
                .allSatisfy(command -> assertThat(refusal(weir, command.text())).as(command.toString()).isNull());
    }

    @Test
    void weirKnowsTheOptionsOfEveryCommandInASentence() throws Exception {
        CommandLine weir = Main.commands();
        List<Example> mentions = mentions();
        assertThat(mentions).hasSizeGreaterThan(200).allSatisfy(
                command -> assertThat(refusal(weir, command.text())).as(command.toString()).satisfiesAnyOf(
                        refusal -> assertThat(refusal).isNull(),
                        refusal -> assertThat(refusal).isInstanceOf(MissingParameterException.class)));
    }

    @Test
    void configCheckAcceptsEveryConfiguration() throws Exception {
        List<Example> configurations = blocks().stream()
                .filter(block -> SECTION.matcher(block.text()).lookingAt()).toList();
        assertThat(configurations).hasSizeGreaterThan(18);
        Map<String, String> own = pair();
        Map<String, String> other = pair();
        for (Example configuration : configurations) {
            Path file = Files.writeString(folder.resolve("weir.conf"), completed(configuration.text(), own, other));
            Run run = Run.weir("config", "check", file.toString());
            assertThat(run.err().lines()
                    .filter(line -> !line.contains(": warning: ") && !OF_THE_READER.matcher(line).find())
                    .filter(line -> !line.matches(".*: \\d+ errors?(, .*)?"))).as(configuration.toString()).isEmpty();
        }
    }

    /** What a monitoring system may read at /healthz: the sentences of the sources, up to what is put into them. */
    @Test
    void thePageOfHttpNamesEveryReasonOfTheHealth() throws Exception {
        String page = Files.readString(DOCS.resolve("integrate/http.md"));
        List<String> reasons = new ArrayList<>();
        for (Path module : List.of(Path.of("../storage/engine"), Path.of("../storage/nodes"),
                Path.of("../storage/server"), Path.of("../storage/tools"))) {
            try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
                for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    TROUBLE.matcher(Files.readString(file)).results().map(found -> found.group(1))
                            .forEach(reasons::add);
                }
            }
        }
        assertThat(reasons).hasSizeGreaterThan(25)
                .allSatisfy(reason -> assertThat(page).contains("`" + reason.replaceFirst("%.*", "").stripTrailing()));
    }

    private static Map<String, String> pair() {
        Map<String, String> values = new HashMap<>();
        KEY.matcher(Run.weir("keypair").out()).results().forEach(key -> values.put(key.group(1), key.group(2)));
        return values;
    }

    /** Puts in what the reader knows: keys, passwords, the dots, and the sections around those of an example. */
    private String completed(String example, Map<String, String> own, Map<String, String> other) throws IOException {
        Path passwords = Files.writeString(folder.resolve("imap-passwords"), """
                bait@example.org@mail.example.org SECRET
                lure@localhost SECRET
                user@mail.example.org SECRET
                """);
        String storage = "worker \"fuzzy\" { hash_file = \"/var/lib/weir/fuzzy.db\"; ";
        String whole = example;
        if (example.startsWith("waves ")) {
            whole = storage + example + "}\n";
        } else if (!example.contains("worker \"fuzzy\"")) {
            whole = example.startsWith("rule ") ? example : storage + "}\n" + example;
        } else if (!example.contains("hash_file")) {
            whole = example.replace("worker \"fuzzy\" { ", storage);
        }
        return whole.replace(" … ", " servers = \"127.0.0.1:11335\"; algorithm = mumhash; max_score = 10; ")
                .replace("/etc/weir/imap-passwords", passwords.toString())
                .replace("$2$...", "secret")
                .replaceAll("\\bpubkey = \"[^\"]*\"", "pubkey = \"" + own.get("pubkey") + '"')
                .replaceAll("\\bprivkey = \"[^\"]*\"", "privkey = \"" + own.get("privkey") + '"')
                .replaceAll("\\b(master_)?key = \"[^\"]*\"", "$1key = \"" + other.get("pubkey") + '"');
    }
}
