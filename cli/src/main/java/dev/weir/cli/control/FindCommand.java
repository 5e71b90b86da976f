package dev.weir.cli.control;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

import dev.weir.cli.mail.MailFiles;
import dev.weir.cli.option.HashOptions;
import dev.weir.cli.option.LogFilter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.effort.NotHashedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code weir find}: what a running storage knows of hashes and who taught it. */
@Command(name = "find", description = {
    "Shows what a running storage on this machine knows: each hash with its flags, its hits and its latest changes.",
    "Searches by the beginning of a digest, by the option of a symbol such as 1:4a3146bfc8:0.94:txt, by a Message-ID, "
            + "or by the hashes of a mail."},
        exitCodeList = {
            "0:something is found",
            "1:nothing is found",
            ControlCommand.WRONG_USE,
            "3:the mail could not be read or hashed",
            ControlCommand.REFUSED,
            ControlCommand.NO_ANSWER})
public final class FindCommand extends StorageRequest {
    @Mixin
    private HashOptions hashOptions = new HashOptions();

    @Option(names = {"-j", "--json"}, description = "Print the reply of each search as one line of JSON.")
    private boolean json;

    @Parameters(paramLabel = "PREFIX|OPTION|MESSAGE-ID|FILE", description = "What to look for. An existing file is a "
            + "mail; a digest needs at least 4 hexadecimal digits.")
    private String what = "";

    public FindCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        boolean found = false;
        for (String query : queries()) {
            JsonNode reply = storage.ask("/find?q=" + query);
            found |= reply.path("hashes").valueStream().anyMatch(hash -> hash.path("stored").asBoolean(false)
                    || !hash.path("changes").isEmpty());
            if (json) {
                terminal.out().println(reply);
            } else {
                print(reply);
            }
        }
        if (!found && !json) {
            terminal.out().println("nothing is stored, and the audit trail has nothing");
            if (what.contains("@") && !Files.isRegularFile(Path.of(what))) {
                terminal.out().println(LogFilter.MAIL_NOT_FOUND);
            }
        }
        return found ? ExitCode.OK : ExitCode.NO_MATCH;
    }

    private List<String> queries() {
        if (!Files.isRegularFile(Path.of(what))) {
            if (isNamedLikeAFile(what)) {
                throw new FailedException(ExitCode.INPUT, Files.isDirectory(Path.of(what))
                        ? what + ": is a folder; find takes one mail"
                        : what + ": there is no such file");
            }
            return List.of(RunningStorage.escaped(what));
        }
        MailFiles files = new MailFiles(List.of(what), terminal.in());
        List<String> queries = new ArrayList<>();
        try {
            for (FuzzyHash hash : hashOptions.hasher().hash(files.read(Path.of(what)), hashOptions.rule())) {
                StringBuilder query = new StringBuilder(HexFormat.of().formatHex(hash.digest()));
                if (hash.hasShingles()) {
                    query.append("&shingles=");
                    for (long shingle : hash.shingles()) {
                        query.append(HexFormat.of().toHexDigits(shingle));
                    }
                }
                queries.add(query.toString());
            }
        } catch (MailFiles.UnusableException e) {
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        } catch (NotHashedException e) {
            throw new FailedException(ExitCode.INPUT, "the mail is not hashed: " + e.getMessage());
        }
        return queries;
    }

    /** Returns whether a text can only be meant as a file: it is no digest, no option of a symbol and no Message-ID. */
    private static boolean isNamedLikeAFile(String text) {
        return text.startsWith("/") || text.startsWith("./") || text.startsWith("../")
                || !text.matches("[0-9A-Fa-f]*|.*[@:<].*");
    }

    private void print(JsonNode reply) {
        JsonNode match = reply.path("match");
        if (!match.isMissingNode()) {
            terminal.out().printf(Locale.ROOT, "matches %s, %d of 32 shingles are equal%n",
                    match.path("digest").asString(""), match.path("equal_shingles").asInt(0));
        }
        for (JsonNode hash : reply.path("hashes")) {
            terminal.out().println(hash.path("digest").asString(""));
            if (!hash.path("stored").asBoolean(false)) {
                terminal.out().println("  not stored");
            }
            for (JsonNode flag : hash.path("flags")) {
                terminal.out().printf(Locale.ROOT, "  flag %d: %d, since %s%n", flag.path("flag").asLong(0),
                        flag.path("value").asLong(0), RunningStorage.time(flag.path("changed")));
            }
            terminal.out().printf(Locale.ROOT, "  hits: %d in the last hour, %d in the last day%s%n",
                    hash.path("hits_hour").asLong(0), hash.path("hits_day").asLong(0),
                    hash.path("skipped").asBoolean(false) ? "; on the skip list" : "");
            for (JsonNode change : hash.path("changes")) {
                terminal.out().println("  " + change(change));
            }
        }
        if (reply.path("more").asBoolean(false)) {
            terminal.out().println("there may be more: give more digits");
        }
    }

    private static String change(JsonNode change) {
        StringBuilder line = new StringBuilder(RunningStorage.time(change.path("time"))).append(' ')
                .append(change.path("change").asString(""));
        if (change.has("flag")) {
            line.append(" flag ").append(change.path("flag").asLong(0));
        }
        if (change.has("weight")) {
            line.append(" weight ").append(change.path("weight").asLong(0));
        }
        line.append(" from ").append(RunningStorage.clean(change.path("from")));
        if (change.has("client")) {
            line.append(" client ").append(RunningStorage.clean(change.path("client"))).append(" by ")
                    .append(RunningStorage.clean(change.path("credential")));
            text(line, " user ", change.path("user"));
            text(line, " mail ", change.path("message_id"));
        }
        return line.append(", revision ").append(change.path("revision").asLong(0)).toString();
    }

    private static void text(StringBuilder line, String name, JsonNode text) {
        if (!text.asString("").isEmpty()) {
            line.append(name).append(RunningStorage.clean(text));
        }
    }
}
