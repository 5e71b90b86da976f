package dev.weir.cli.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

import dev.weir.cli.client.OneStorage;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.model.Signature;
import dev.weir.net.HostPort;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanResult.AskedHash;
import dev.weir.scan.score.KindOptions;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code weir demo}: a self-contained run on real mails. */
@Command(name = "demo", mixinStandardHelpOptions = true,
        description = "Runs a self-contained demo on real spam: learns it, checks changed copies and unrelated "
                + "mail, then exits.",
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every verdict was the expected one",
            "2:the command line is wrong",
            "6:a verdict was not the expected one, or the storage could not start"})
public final class DemoCommand implements Callable<Integer> {
    private static final int FLAG = 1;
    private static final int WEIGHT = 10;

    /** The rule of {@code --html}: a new mailing often changes the text more than the layout. */
    private static final HashRule RULE = HashRule.shipped().toBuilder().htmlShingles(true).htmlSides(true)
            .htmlNeedsText(false).build();

    private final Terminal terminal;

    public DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createTempDirectory("weir-demo");
        try (StorageServer server = new StorageServer(config(folder))) {
            HostPort address = new HostPort("127.0.0.1", server.start().getPort());
            try (OneStorage storage = OneStorage.open(address, Optional.empty(), Duration.ofSeconds(1), 3,
                    MailHasher.standard(), RULE, KindOptions.withoutRules(RULE.kinds()))) {
                return show(storage, address);
            }
        } catch (dev.weir.storage.StorageException e) {
            throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
        } finally {
            delete(folder);
        }
    }

    private static StorageConfig config(Path folder) {
        return StorageConfig.of(folder)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback());
    }

    private int show(OneStorage storage, HostPort address) throws IOException {
        PrintStream out = terminal.out();
        out.println("A storage is running on " + address + ", with its files in a temporary folder.");
        out.println();
        out.println("Learning real spam:");
        for (Samples.Campaign campaign : Samples.campaigns()) {
            int hashes = storage.learn(campaign.mail(), LearnRequest.add(FLAG, WEIGHT)).size();
            out.printf(Locale.ROOT, "  %-28s %s%n", campaign.name(), Reports.count(hashes, "hash"));
        }
        out.println();
        out.println("Checking changed copies and unrelated mail:");
        out.println();
        out.printf(Locale.ROOT, "  %-28s %-28s %8s %11s  %s%n", "mail", "change", "shingles", "probability", "verdict");
        int surprises = 0;
        for (Samples.Campaign campaign : Samples.campaigns()) {
            surprises += row(storage, campaign.name(), new Samples.Copy("none", campaign.text()), true);
            for (Samples.Copy copy : campaign.copies()) {
                surprises += row(storage, "", copy, true);
            }
        }
        String name = "wanted mail";
        for (Samples.Copy copy : Samples.unrelated()) {
            surprises += row(storage, name, copy, false);
            name = "";
        }
        out.println();
        if (surprises != 0) {
            terminal.error(Reports.count(surprises, "verdict") + " differed from the expected ones");
            return ExitCode.SERVER;
        }
        Path mails = Samples.write(Files.createTempDirectory("weir-demo-mails"));
        // What the person typed: ./weir in a checkout.
        String weir = System.getProperty("weir.command", "weir");
        out.println("What next, with the same mails, which are in " + mails + ":");
        out.println("  " + weir + " serve");
        out.println("      a permanent storage on 127.0.0.1:11335; the others run in a second terminal");
        out.println("  " + weir + " learn --html -f 1 -w 10 " + mails.resolve(Samples.LEARNED));
        out.println("      learn a mail, or a folder of them; --html adds the structure of HTML to the words");
        out.println("  " + weir + " check --html " + mails.resolve(Samples.CHANGED) + " "
                + mails.resolve(Samples.WANTED));
        out.println("      does the storage know these mails, or similar ones?");
        out.println("docs/start/getting-started.md says how to point Rspamd's fuzzy_check at the storage.");
        return ExitCode.OK;
    }

    /** Prints one line and returns 1 if the verdict is not the expected one. */
    private int row(OneStorage storage, String name, Samples.Copy copy, boolean expected) {
        @Nullable
        AskedHash best = storage.check(copy.mail()).asked().stream().filter(asked -> asked.match().isPresent())
                .max(Comparator.comparingDouble(asked -> asked.match().orElseThrow().probability())).orElse(null);
        @Nullable
        Reply match = best == null ? null : best.reply();
        String verdict = best == null ? "not known" : best.exact() ? "the same" : "nearly the same";
        terminal.out().printf(Locale.ROOT, "  %-28s %-28s %8s %11s  %s%n", name, copy.change(),
                match == null ? "-" : Math.round(match.probability() * Signature.SLOTS) + "/" + Signature.SLOTS,
                match == null ? "-" : String.format(Locale.ROOT, "%.2f", match.probability()), verdict);
        return (match != null) == expected ? 0 : 1;
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
