package dev.weir.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Terminal;
import dev.weir.model.Network;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the output and the exit status of commands with a storage in the same process. */
class CommandsTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path folder;

    private StorageServer server = new StorageServer(StorageConfig.of(Path.of("unused")));
    private String address = "";
    private Path spam = Path.of("");
    private Path changed = Path.of("");
    private Path ham = Path.of("");

    @BeforeEach
    void startStorage() throws Exception {
        start(config());
        Samples.Campaign campaign = Samples.campaigns().getFirst();
        spam = write("spam.eml", campaign.mail());
        changed = write("changed.eml", campaign.copies().getFirst().mail());
        ham = write("ham.eml", Samples.unrelated().getLast().mail());
    }

    @AfterEach
    void stopStorage() {
        server.close();
    }

    private StorageConfig config() {
        return StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback());
    }

    private void start(StorageConfig config) throws Exception {
        server = new StorageServer(config);
        address = "127.0.0.1:" + server.start().getPort();
    }

    private void restart(StorageConfig config) throws Exception {
        server.close();
        start(config);
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private Run ask(String command, Object... arguments) {
        String[] words = new String[arguments.length + 3];
        words[0] = command;
        words[1] = "--server";
        words[2] = address;
        for (int i = 0; i < arguments.length; i++) {
            words[i + 3] = arguments[i].toString();
        }
        return Run.weir(words);
    }

    @Test
    void learnsFindsAndForgets() {
        Run before = ask("check", spam);
        assertThat(before.status()).as(before.err()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(before.out()).isEqualTo(spam + ": not known (1 hash checked)\n");

        Run learn = ask("learn", "-f", 3, "-w", 7, spam);
        assertThat(learn.status()).as(learn.err()).isEqualTo(ExitCode.OK);
        assertThat(learn.out()).isEqualTo(spam + ": learned 1 hash (txt), flag 3\n");

        Run check = ask("check", spam, changed, ham);
        assertThat(check.status()).isEqualTo(ExitCode.OK);
        assertThat(check.out())
                .contains(spam + ": known\n", "txt       flag 3  value 7  probability 1.00 (same digest)")
                .containsPattern("probability 0\\.\\d\\d \\(\\d\\d of 32 shingles\\)")
                .contains(ham + ": not known");

        Run forget = ask("forget", "-f", 3, spam);
        assertThat(forget.out()).isEqualTo(spam + ": forgotten 1 hash (txt), flag 3\n");
        assertThat(ask("check", spam, changed).status()).isEqualTo(ExitCode.NO_MATCH);
    }

    @Test
    void reportsHashesThatWereNotOnTheList() {
        ask("learn", "-f", 3, "-w", 7, spam);
        // The changed mail matches the learned mail, but its hash differs.
        Run other = ask("forget", "-f", 3, changed);
        assertThat(other.status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(other.out()).startsWith(changed + ": nothing forgotten, flag 3: none of 1 hash was on this list\n")
                .contains("not stored; it matches ", "on flag 3 with probability 0.", "--matching removes it");
        assertThat(ask("forget", "-f", 4, spam).out()).contains("not on this list, but on flag 3");
        assertThat(ask("forget", "-f", 3, ham).out()).contains(": not stored\n");
        assertThat(ask("check", spam).out()).contains("flag 3  value 7");
    }

    @Test
    void forgetsMatchingHashes() {
        ask("learn", "-f", 3, "-w", 7, spam);
        ask("learn", "-f", 5, "-w", 2, spam);
        Run rehearsal = ask("forget", "-f", 3, "--matching", "--dry-run", changed);
        assertThat(rehearsal.status()).as(rehearsal.err()).isEqualTo(ExitCode.OK);
        assertThat(rehearsal.out()).startsWith(changed + ": would forget 1 hash (txt), flag 3\n")
                .containsPattern("  txt [0-9a-f]{16}: [0-9a-f]{128}, value 7, probability 0\\.\\d\\d\n");
        assertThat(ask("check", spam).out()).contains("flag 3  value 7");

        assertThat(ask("forget", "-f", 3, "--matching", changed).out())
                .startsWith(changed + ": forgotten 1 hash (txt), flag 3\n");
        assertThat(ask("check", spam).out()).contains("flag 5  value 2").doesNotContain("flag 3");
        Run again = ask("forget", "-f", 3, "--matching", changed);
        assertThat(again.status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(again.out()).contains("nothing forgotten, flag 3: none of 1 hash matches a hash of this list");
    }

    @Test
    void forgetsADigest() {
        ask("learn", "-f", 3, "-w", 7, spam);
        String digest = JSON.readTree(ask("check", "--json", spam).out()).get("matches").get(0).get("digest")
                .stringValue();
        assertThat(ask("forget", "-f", 3, "--digest", digest, "--dry-run").out())
                .startsWith("--digest: would forget 1 hash, flag 3\n");
        JsonNode forgotten = JSON.readTree(ask("forget", "-f", 3, "--json", "--digest", digest).out());
        assertThat(forgotten.get("hashes").get(0).get("accepted").booleanValue()).isTrue();
        assertThat(forgotten.get("stored").get(0).get("flags").get("3").intValue()).isEqualTo(7);
        assertThat(ask("check", spam).status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("forget", "-f", 3, "--digest", digest).status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("forget", "-f", 3, "--digest", "12").status()).isEqualTo(ExitCode.USAGE);
        assertThat(ask("forget", "-f", 3).status()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void printsMatchesAsJson() {
        ask("learn", "-f", 1, "-w", 5, spam);
        ask("learn", "-f", 2, "-w", 9, spam);
        Run check = ask("check", "--json", changed);
        assertThat(check.status()).as(check.err()).isEqualTo(ExitCode.OK);
        JsonNode line = JSON.readTree(check.out());
        assertThat(line.get("file").stringValue()).isEqualTo(changed.toString());
        assertThat(line.get("asked").intValue()).isEqualTo(1);
        JsonNode match = line.get("matches").get(0);
        assertThat(match.get("kind").stringValue()).isEqualTo("txt");
        assertThat(match.get("flag").intValue()).isEqualTo(2);
        assertThat(match.get("value").intValue()).isEqualTo(9);
        assertThat(match.get("probability").doubleValue()).isBetween(0.53, 0.99);
        assertThat(match.get("digest").stringValue()).hasSize(128).isNotEqualTo(match.get("queried").stringValue());
        assertThat(match.get("added").stringValue()).startsWith("20");
        assertThat(match.get("other_flags").get(0).get("flag").intValue()).isEqualTo(1);
        assertThat(match.get("other_flags").get(0).get("value").intValue()).isEqualTo(5);
    }

    @Test
    void printsHashesAsJsonLines() {
        Run run = Run.weir("hash", spam.toString(), ham.toString());
        assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK);
        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(2);
        JsonNode hash = JSON.readTree(lines.getFirst()).get("hashes").get(0);
        assertThat(hash.get("kind").stringValue()).isEqualTo("txt");
        // Rspamd 3.4 sends this digest for the mail with its stock rule.
        assertThat(hash.get("digest").stringValue()).startsWith("0918765733c19428040be5f8c039f602455e14d2ef9c1d80be76");
        assertThat(hash.get("shingles").size()).isEqualTo(32);
        assertThat(hash.get("shingles").get(0).stringValue()).matches("[0-9a-f]{16}");

        Run keyed = Run.weir("hash", "--key", "another", spam.toString());
        assertThat(keyed.out()).isNotEqualTo(lines.getFirst() + "\n");
        Run siphash = Run.weir("hash", "--algorithm", "siphash", spam.toString());
        assertThat(JSON.readTree(siphash.out()).get("hashes").get(0).get("digest"))
                .as("the algorithm changes only shingles")
                .isEqualTo(hash.get("digest"));
    }

    /** Transparent words are hidden in 4.1.6 and visible in 3.4. */
    @Test
    void hashesLikeAnOlderRelease() {
        String words = "<p>the quick brown fox</p>".repeat(20);
        byte[] hides = ("Content-Type: text/html\n\n<b style=\"opacity:0\">hidden words</b>" + words)
                .getBytes(StandardCharsets.UTF_8);
        byte[] shows = ("Content-Type: text/html\n\n<b>hidden words</b>" + words).getBytes(StandardCharsets.UTF_8);
        String shown = Run.weirReading(shows, "hash", "-").out();
        assertThat(Run.weirReading(hides, "hash", "--like", "3.4", "-").out()).isEqualTo(shown);
        assertThat(Run.weirReading(hides, "hash", "-").out()).isNotEqualTo(shown)
                .isEqualTo(Run.weirReading(hides, "hash", "--like", "4.1.6", "-").out());
        assertThat(Run.weirReading(hides, "explain", "--like", "3.4", "-").out()).contains("82 words",
                "hidden word the");
        assertThat(Run.weirReading(hides, "explain", "-").out()).contains("80 words").doesNotContain("hidden word the");
        assertThat(Run.weir("hash", "--like", "2.7", spam.toString()).err())
                .contains("\"2.7\" is not supported: use 4.1.6 or 3.4");
    }

    @Test
    void hashesByTheKindsThatWereNamed() {
        byte[] mail = ("Subject: Your mailbox is nearly full\nContent-Type: text/html\n\n"
                + "<p>Your mailbox is nearly full and will be closed soon, please confirm it now.</p>".repeat(4)
                + "<a href=https://login.evil-site.com/confirm>now</a>"
                + "<a href=https://login.evil-site.com/help>help</a><form action=https://evil-site.com/form>"
                + "<img src=https://evil-site.com/campaign/banner.png width=600 height=100 border=0 align=left>")
                .getBytes(StandardCharsets.UTF_8);
        assertThat(kinds(mail, "all"))
                .containsExactly("shorttext", "source1", "chars1", "links1", "picture1", "subject1");
        assertThat(kinds(mail, "links,rspamd")).containsExactly("shorttext", "links1");
        assertThat(kinds(mail, "source1")).containsExactly("source1");
        assertThat(kinds(mail, "rspamd")).containsExactly("shorttext");
        assertThat(Run.weirReading(mail, "hash", "-").out())
                .isEqualTo(Run.weirReading(mail, "hash", "--kinds", "rspamd", "-").out());
        assertThat(Run.weir("hash", "--kinds", "rspamd,words", spam.toString()).err())
                .contains("\"words\" is not a kind: use rspamd, all, ");
    }

    private static List<String> kinds(byte[] mail, String names) {
        List<String> kinds = new ArrayList<>();
        JSON.readTree(Run.weirReading(mail, "hash", "--kinds", names, "-").out()).get("hashes")
                .forEach(hash -> kinds.add(hash.get("kind").stringValue()));
        return kinds;
    }

    /** A storage that knows nothing of the kinds holds them, and each matches only its own. */
    @Test
    void learnsEachMailOfAMailbox() throws IOException {
        String mail = "Message-ID: <%d@example.org>\nSubject: offer\nContent-Type: text/plain\n\n%s";
        String first = mail.formatted(1,
                "From now on our shop sells watches to you and all of your friends\n".repeat(12));
        String second = mail.formatted(2, "the second mail wants to talk about shoes in many different colors\n"
                .repeat(12));
        Path box = write("box", ("From a@example.org Tue Nov 24 18:04:05 2026\n" + first.replace("\nFrom ", "\n>From ")
                + "\nFrom b@example.org Tue Nov 24 18:05:05 2026\n" + second).getBytes(StandardCharsets.UTF_8));
        Run learn = ask("learn", "-f", 3, "--mbox", box, changed);
        assertThat(learn.status()).as(learn.err()).isEqualTo(ExitCode.OK);
        assertThat(learn.out().lines()).containsExactly(box + " 1: learned 1 hash (txt), flag 3",
                box + " 2: learned 1 hash (txt), flag 3", changed + ": learned 1 hash (txt), flag 3");
        assertThat(ask("check", write("first.eml", first.getBytes(StandardCharsets.UTF_8))).out())
                .contains("1.00 (same digest)");
        assertThat(ask("check", write("second.eml", second.getBytes(StandardCharsets.UTF_8))).out())
                .contains("1.00 (same digest)");
    }

    @Test
    void learnsAndFindsByOneKind() throws IOException {
        byte[] page = ("Content-Type: text/html\n\n<table>" + "<tr><td class=row%s>line</td></tr>".repeat(30)
                + "</table>")
                .formatted("abcdefghijklmnopqrstuvwxyzabcd".chars().mapToObj(Character::toString).toArray())
                .getBytes(StandardCharsets.UTF_8);
        Path mail = Files.write(folder.resolve("page.eml"), page);
        assertThat(ask("learn", "-f", 4, "--kinds", "source", mail).status()).isEqualTo(ExitCode.OK);
        assertThat(ask("check", mail).status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("check", "--kinds", "chars,links", mail).status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("check", "--kinds", "source", mail).status()).isEqualTo(ExitCode.OK);
        assertThat(ask("forget", "-f", 4, "--kinds", "source", mail).status()).isEqualTo(ExitCode.OK);
        assertThat(ask("check", "--kinds", "source", mail).status()).isEqualTo(ExitCode.NO_MATCH);
    }

    /** A table with one word for each row, so that mails with other words share fewer and fewer shingles. */
    private Path table(String name, int changed) throws IOException {
        StringBuilder page = new StringBuilder("Content-Type: text/html\n\n<table>");
        for (int i = 0; i < 40; i++) {
            String word = Character.toString('a' + i / 26) + Character.toString('a' + i % 26);
            page.append("<tr><td class=").append(i < changed ? "other" : "row").append(word).append(">line</td></tr>");
        }
        return write(name, page.append("</table>").toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The client asks for the thresholds, so the storage needs no flag_thresholds. */
    @Test
    void recommendedKindsHaveFlagsAndThresholdsOfTheirOwn() throws IOException {
        Path learned = table("learned.eml", 0);
        Run learn = ask("learn", "-f", 4, "--kinds", "recommended", learned);
        assertThat(learn.status()).as(learn.err()).isEqualTo(ExitCode.OK);
        Run check = ask("check", "--kinds", "recommended", learned);
        assertThat(check.out()).contains("source1   flag 24 ");
        boolean below = false;
        for (int changed = 1; changed < 20; changed++) {
            Path near = table("near" + changed + ".eml", changed);
            boolean usual = ask("check", "--kinds", "source", near).status() == ExitCode.OK;
            Run asked = ask("check", "--kinds", "recommended", near);
            assertThat(asked.status()).as("%s changed: %s", changed, asked.err())
                    .isLessThanOrEqualTo(ExitCode.NO_MATCH);
            below |= !usual && asked.out().contains("source1   flag 24 ");
        }
        assertThat(below).as("a hash that shares 13 to 16 shingles").isTrue();
        assertThat(ask("check", learned).status()).as("flag 4 alone has no hash").isEqualTo(ExitCode.NO_MATCH);
        Run forget = ask("forget", "-f", 4, "--kinds", "recommended", learned);
        assertThat(forget.status()).as(forget.out() + forget.err()).isEqualTo(ExitCode.OK);
        assertThat(ask("check", "--kinds", "recommended", learned).status()).isEqualTo(ExitCode.NO_MATCH);
    }

    @Test
    void recommendedKindsTakeFlagsThatDoNotCollide() throws IOException {
        Path mail = table("mail.eml", 0);
        for (String command : new String[]{"learn", "forget"}) {
            Run run = ask(command, "-f", 21, "--kinds", "recommended", mail);
            assertThat(run.status()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("--flag 21 is not between 1 and 20");
        }
    }

    @Test
    void readsStandardInput() throws IOException {
        Run run = Run.weirReading(Files.readAllBytes(spam), "hash", "-");
        assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).startsWith("{\"file\":\"-\",\"hashes\":[{\"kind\":\"txt\"");
    }

    @Test
    void walksFoldersAndSkipsFilesThatAreNotMails() throws IOException {
        Path top = folder.resolve("mails");
        Path mails = Files.createDirectories(top.resolve("deeper"));
        Files.copy(spam, mails.resolve("b.eml"));
        Files.copy(ham, top.resolve("a.eml"));
        Files.write(mails.resolve("binary"), new byte[]{0x7f, 'E', 'L', 'F', 0, 0, 1, 2});
        Files.createFile(mails.resolve("empty"));
        Files.createFile(mails.resolve(".hidden"));
        Files.createSymbolicLink(mails.resolve("dangling"), folder.resolve("nowhere"));
        Run run = ask("learn", "-f", 1, top);
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.out().lines().map(line -> line.replaceAll(".*/", "").replaceAll(":.*", "")))
                .containsExactly("a.eml", "b.eml", "learned 2 of 4 mails");
        assertThat(run.err().lines()).hasSize(3)
                .anyMatch(line -> line.endsWith("binary: is not a mail: it has binary data and no header"))
                .anyMatch(line -> line.endsWith("empty: is empty"))
                .anyMatch(line -> line.endsWith("dangling: is a symbolic link in a folder; name the file itself"));
    }

    @Test
    void reportsAMissingFileAndAMissingStorage() {
        Run file = ask("check", folder.resolve("nothing.eml"));
        assertThat(file.status()).isEqualTo(ExitCode.INPUT);
        assertThat(file.err()).isEqualTo(
                "weir: " + folder.resolve("nothing.eml") + ": there is no such file or folder\n");

        server.close();
        Run storage = ask("check", "--timeout", "0.2", "--retransmits", "1", spam);
        assertThat(storage.status()).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(storage.err().lines()).hasSize(1);
        assertThat(storage.err()).contains("nothing listens at " + address);
    }

    @Test
    void reportsAWrongKey() throws Exception {
        KeyPair right = KeyPair.generate(new SecureRandom());
        KeyPair wrong = KeyPair.generate(new SecureRandom());
        restart(config().withKeyPairs(List.of(right)));
        assertThat(ask("learn", "-f", 1, "--encryption-key", right.publicKey(), spam).status()).isEqualTo(ExitCode.OK);
        Run run = ask("check", "--timeout", "0.2", "--retransmits", "0", "--encryption-key", wrong.publicKey(),
                spam);
        assertThat(run.status()).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).contains("not to requests encrypted with this key");
    }

    @Test
    void reportsThatEncryptionIsRequired() throws Exception {
        KeyPair key = KeyPair.generate(new SecureRandom());
        restart(config().withKeyPairs(List.of(key)).withEncryptedOnly(true));
        for (String command : List.of("check", "ping", "stat")) {
            Run run = command.equals("check") ? ask(command, spam) : ask(command);
            assertThat(run.status()).as(command + run.err()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err()).contains("only encrypted requests (415)");
        }
    }

    @Test
    void reportsRejectedUpdates() throws Exception {
        restart(config().withAllowUpdate(List.of(Network.of("192.0.2.0/24"))));
        for (String command : List.of("learn", "forget")) {
            Run run = ask(command, "-f", 1, spam, ham);
            assertThat(run.status()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err().lines()).hasSize(1);
            assertThat(run.err()).contains(spam.toString(), "not allowed for this client", "503");
        }
    }

    @Test
    void rejectsAMailWithoutHashes() throws IOException {
        Run run = ask("learn", "-f", 1, write("tiny.eml", "Subject: hi\n\nhi\n".getBytes(
                StandardCharsets.US_ASCII)));
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("has no hash");
    }

    /** The markup would expand to 128 MB. Weir sends no request for this mail and still processes the other mails. */
    @Test
    void doesNotHashAMailOverTheLimit() throws IOException {
        Path costly = Files.writeString(folder.resolve("costly.eml"), "Subject: x\nContent-Type: text/html\n\n"
                + "x".repeat(32_000) + "<?>".repeat(8_000));
        String why = costly + ": is not hashed: hashing would read more than";
        Run hash = Run.weir("hash", costly.toString(), spam.toString());
        assertThat(hash.status()).isEqualTo(ExitCode.INPUT);
        assertThat(hash.err()).contains(why);
        assertThat(hash.out()).contains("digest").doesNotContain("costly");
        for (Run run : List.of(ask("check", costly), ask("learn", "-f", 1, costly),
                ask("forget", "-f", 1, costly))) {
            assertThat(run.status()).isEqualTo(ExitCode.INPUT);
            assertThat(run.err()).contains(why);
            assertThat(run.out()).isEmpty();
        }
        assertThat(Run.weir("explain", costly.toString()).err())
                .contains("a mail is not hashed: hashing would read more than");
    }

    @Test
    void everyHashingCommandHasTheSameOptions() {
        for (String command : List.of("hash", "check", "learn", "forget", "explain", "doctor", "serve")) {
            assertThat(Run.weir(command, "--help").out()).as(command).contains("--languages", "--hash-time");
        }
        Run serve = Run.weir("serve", "--languages", folder.toString(), "--data", folder.resolve("d").toString());
        assertThat(serve.status()).isEqualTo(ExitCode.INPUT);
        assertThat(serve.err()).contains("not a languages folder of Rspamd");
        assertThat(folder.resolve("d")).doesNotExist();
        assertThat(Run.weir("hash", "--hash-time", "0", spam.toString()).err())
                .contains("--hash-time must be positive");
        assertThat(Run.weir("hash", "--hash-time", "1m", spam.toString()).status()).isEqualTo(ExitCode.OK);
        assertThat(Run.weir("serve", "-c", "/no/such", "--languages", folder.toString()).err())
                .contains("not a languages folder");
    }

    @Test
    void rejectsInvalidOptions() {
        assertThat(ask("learn", "-f", 256, spam).status()).isEqualTo(ExitCode.USAGE);
        assertThat(ask("learn", spam).err()).isEqualTo("weir: Missing required argument (specify one of these): "
                + "(-f=FLAG | -S=SYMBOL); see `weir learn --help`\n");
        assertThat(ask("learn", "--weigth", 3, "-f", 1, spam).err()).hasLineCount(1).contains("did you mean --weight");
        assertThat(ask("learn", "-f", "many", spam).err()).hasLineCount(1).doesNotContain("java");
        assertThat(ask("learn", "-f", 1, "-w", 0, spam).status()).isEqualTo(ExitCode.USAGE);
        assertThat(Run.weir("serve", "--bind", "127.0.0.1:99999").err()).contains("expected host:port");
        assertThat(Run.weir("hash", "--algorithm", "md5", spam.toString()).err())
                .contains("\"md5\" is not an algorithm");
        assertThat(Run.weir("check", "--server", "host:port", spam.toString()).err()).contains("not a port number");
        assertThat(Run.weir("check", "--encryption-key", "abc", spam.toString()).err()).contains("52 characters");
        assertThat(Run.weir("serve", "--allow-update", "localhost").err()).contains("is not a network");
        assertThat(Run.weir("serve", "--expire", "soon").err()).contains("is not a duration");
        assertThat(Run.weir("nonsense").status()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void followsALinkThatIsNamedAndNoneInAFolder() throws IOException {
        Path top = Files.createDirectories(folder.resolve("mails"));
        Files.copy(spam, top.resolve("a.eml"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), top);
        assertThat(Run.weir("hash", link.toString()).out()).startsWith("{\"file\":\"" + link.resolve("a.eml") + "\"");
        Files.createSymbolicLink(top.resolve("loop"), top);
        Run loop = Run.weir("hash", top.toString());
        assertThat(loop.status()).isEqualTo(ExitCode.INPUT);
        assertThat(loop.err()).contains("loop: is a symbolic link in a folder; name the file itself");
        assertThat(loop.out().lines()).hasSize(1);
        Path file = Files.createSymbolicLink(folder.resolve("file.eml"), spam);
        assertThat(Run.weir("hash", file.toString()).status()).isEqualTo(ExitCode.OK);
    }

    @Test
    void reportsTheGreatestStatus() {
        Run run = ask("learn", "-f", 1, folder.resolve("nothing.eml"), spam);
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.out()).contains(spam + ": learned 1 hash");
    }

    @Test
    void countsAndPings() {
        assertThat(ask("stat").out()).isEqualTo(address + " holds 0 hashes\n");
        ask("learn", "-f", 1, spam, ham);
        assertThat(ask("stat", "--json").out()).isEqualTo("{\"server\":\"" + address + "\",\"hashes\":2}\n");
        assertThat(ask("ping").out()).matches(address + " answered in \\d+\\.\\d{3} ms\n");
    }

    @Test
    void theHelpHasEachCommandInAGroup() {
        String help = Run.weir("--help").out();
        assertThat(help).contains("Every day:", "Look inside:", "Maintain:", "Move:", "Example:", "  weir learn -f 1");
        Main.commandLine(new Terminal(System.in, System.out, System.err, false)).getSubcommands().keySet()
                .forEach(name -> assertThat(help.lines().filter(line -> line.startsWith("  " + name + " "))).as(name)
                        .hasSize(1));
        String others = help.substring(help.indexOf("Other:"), help.indexOf("Example:"));
        assertThat(others.lines().filter(line -> line.startsWith("  ") && line.charAt(2) != ' '))
                .as("a command without a group").hasSize(2);
    }

    @Test
    void runsTheDemo() {
        Run run = Run.weir("demo");
        assertThat(run.status()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).contains("changed name", "added paragraph", "other greeting", "changed link",
                "What next");
    }

    /** The commands that the demo prints show with its files what it showed itself. */
    @Test
    void theCommandsAfterTheDemoAgreeWithIt() throws IOException {
        Run demo = Run.weir("demo");
        List<String> learn = printed(demo, "learn");
        List<String> check = printed(demo, "check");
        Path mails = Objects.requireNonNull(Path.of(learn.getLast()).getParent());
        try {
            assertThat(ask(learn.removeFirst(), learn.toArray()).status()).isEqualTo(ExitCode.OK);
            Run checked = ask(check.removeFirst(), check.toArray());
            try (Stream<Path> changed = Files.list(mails.resolve(Samples.CHANGED));
                    Stream<Path> wanted = Files.list(mails.resolve(Samples.WANTED))) {
                assertThat(changed.toList()).hasSize(10)
                        .allSatisfy(mail -> assertThat(checked.out()).contains(mail + ": known"));
                assertThat(wanted.toList()).hasSize(5)
                        .allSatisfy(mail -> assertThat(checked.out()).contains(mail + ": not known"));
            }
            Run explained = Run.weir("explain", mails.resolve("spam/software-sale-html.eml").toString(),
                    mails.resolve("changed/software-sale-html-second-mailing-real.eml").toString());
            assertThat(explained.out()).contains("near by: html (only checks with html_shingles, the option --html,");
            assertThat(explained.status()).isEqualTo(ExitCode.NO_MATCH);
        } finally {
            try (Stream<Path> files = Files.walk(mails)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Returns the words after {@code weir} of a command that the demo printed. */
    private static List<String> printed(Run demo, String name) {
        return demo.out().lines().map(String::strip).filter(line -> line.startsWith("weir " + name))
                .map(line -> new ArrayList<>(List.of(line.split(" ", -1)).subList(1, line.split(" ", -1).length)))
                .findFirst().orElseThrow();
    }

    @Test
    void serveRejectsAFolderInUse() {
        Run run = Run.weir("serve", "--bind", "127.0.0.1:0", "--data", folder.resolve("data").toString());
        assertThat(run.status()).isEqualTo(ExitCode.SERVER);
        assertThat(run.err()).contains(folder.resolve("data").toString());
    }

    @Test
    void keypairCreatesAFileForItsOwnerOnly() throws IOException {
        Path file = folder.resolve("storage.key");
        Run run = Run.weir("keypair", "--output", file.toString());
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        String text = Files.readString(file);
        assertThat(text).contains("pubkey = \"" + run.out().strip() + "\"", "privkey");
        Run again = Run.weir("keypair", "--output", file.toString());
        assertThat(again.status()).isEqualTo(ExitCode.INPUT);
        assertThat(again.err()).contains("exists; choose another name");
        assertThat(file).hasContent(text);
    }

    @Test
    void serveWarnsAboutAReadableKeyFile() throws IOException {
        Path key = folder.resolve("storage.key");
        Run.weir("keypair", "--output", key.toString());
        // The start ends here, because the data folder is a file.
        Path data = write("no-folder", new byte[0]);
        String[] serve = {"serve", "--bind", "127.0.0.1:0", "--no-http", "--data", data.toString(), "--keypair",
            key.toString()};
        assertThat(Run.weir(serve).err()).doesNotContain("may read the key file");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Run.weir(serve).err()).contains("every local user can read the key file " + key);
    }

    @Test
    void serveRejectsAnInvalidKeyFile() throws IOException {
        Path file = write("key", "keypair { pubkey = \"abc\"; }".getBytes(StandardCharsets.US_ASCII));
        Run run = Run.weir("serve", "--bind", "127.0.0.1:0", "--data", folder.resolve("other").toString(),
                "--keypair", file.toString());
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains(file.toString() + ": line 1");
    }

    @Test
    void configCheckShowsWhoMayDoWhat() throws IOException {
        Path config = Files.writeString(folder.resolve("access.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:0"; hash_file = "%s/fuzzy.db"; allow_update = "192.0.2.1"; }
                worker "controller" { bind_socket = ["127.0.0.1:0", "%s/c.sock"]; enable_password = "secret-word"; }
                """.formatted(folder, folder));
        Run run = Run.weir("config", "check", config.toString());
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(run.out().lines().map(line -> line.replaceAll(" {2,}", "|"))).contains(
                "section|from|read|change|scan", "controller|its Unix-domain sockets|yes|yes|yes",
                "controller|everywhere else|enable_password|enable_password|enable_password");
        assertThat(run.out()).containsPattern("fuzzy +everywhere +yes +allow_update .*192.0.2.1")
                .doesNotContain("secret-word", "this machine");
    }

    @Test
    void configCheckShowsTheAccessOfEveryOtherDoor() throws IOException {
        KeyPair own = KeyPair.generate(new SecureRandom());
        KeyPair client = KeyPair.generate(new SecureRandom());
        KeyPair other = KeyPair.generate(new SecureRandom());
        Path config = Files.writeString(folder.resolve("doors.conf"), """
                options { control_socket = "%1$s/ctl.sock mode=0622"; }
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%1$s/doors/fuzzy.db";
                  keypair { privkey = "%2$s"; pubkey = "%3$s"; extensions { name = "feed"; allowed_ops = ["write"]; } }
                  replication {
                    %4$s
                    bind_socket = "127.0.0.1:0"; follower "branch" { key = "%5$s"; learns = true; }
                  }
                }
                worker "trap" {
                  bind_socket = "127.0.0.1:0"; addresses = "trap.example"; maildir = "%1$s/traps";
                  complaints { addresses = "spam@example.org"; keep_addresses = "keep@example.org"; }
                  wanted { maildir = "%1$s/sent"; }
                }
                """.formatted(folder, Base32.encode(client.secret().reveal()), client.publicKey().base32(), own.toUcl(),
                other.publicKey().base32()));
        Run run = Run.weir("config", "check", config.toString());
        assertThat(run.err()).doesNotContain("error");
        assertThat(run.out().lines().map(line -> line.replaceAll(" {2,}", "|"))).contains(
                "fuzzy|key " + client.publicKey().shortId() + " (feed)|no|learns only|-",
                "replication|follower \"branch\", by its key|everything|yes|-",
                "trap|every sender to an address of traps|no|mail for traps|-",
                "trap|who writes to the folders of traps|no|mail for traps|-",
                "trap|every sender to an address of complaints|no|votes|-",
                "trap|every sender to an address of keep|no|votes|-",
                "trap|who writes to the folders of wanted|no|everything|-",
                "control|control.sock in the data folder, or --control|this user|this user|-",
                "control|" + folder + "/ctl.sock|yes|yes|-");
        assertThat(run.out()).doesNotContain("every sender to an address of wanted");
    }

    @Test
    void configCheckShowsMastersThatPush() throws IOException {
        Path config = Files.writeString(folder.resolve("slave.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/slave/fuzzy.db"; masters = "192.0.2.7";
                  sync_keypair { %s }
                }
                """.formatted(folder, KeyPair.generate(new SecureRandom()).toUcl().replaceFirst("keypair", "")
                .replaceAll("[{}]", "")));
        Run run = Run.weir("config", "check", config.toString());
        assertThat(run.err()).contains("without master_key, any host in masters can push updates");
        assertThat(run.out()).containsPattern("fuzzy +masters .*192.0.2.7.* no +yes +-");
    }

    @Test
    void serveRejectsAPublicHttpAddressWithoutAccessRules() throws IOException {
        Path config = Files.writeString(folder.resolve("open.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:0"; hash_file = "%s/open/fuzzy.db"; }
                worker "controller" { bind_socket = "127.0.0.1:0"; }
                """.formatted(folder));
        Run run = Run.weir("serve", "-c", config.toString(), "--http", "*:0");
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("open.conf:2:", "say who may learn and forget");
        assertThat(Run.weir("config", "check", config.toString()).status()).isEqualTo(ExitCode.OK);
    }
}
