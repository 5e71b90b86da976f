package dev.weir.cli.control;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code weir blocked}: the networks that a running storage refuses at present. */
@Command(name = "blocked", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = {
    "Shows which networks a running storage on this machine refuses at present, and unblocks them.",
    "It lists a network while the network is over the rate limit or a script blocks it. It does not list networks in "
            + "the option \"blocked\"; change the configuration for those."},
        subcommands = {BlockedCommand.Show.class, BlockedCommand.Remove.class, HelpCommand.class})
public final class BlockedCommand {
    private BlockedCommand() {}

    /** {@code weir blocked list}: the networks with the time that is left. */
    @Command(name = "list",
            description = "Prints the refused networks, each with the remaining time and the reason.",
            exitCodeList = {
                "0:printed",
                "1:no network is refused",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Show extends StorageRequest {
        @Option(names = {"-j", "--json"}, description = "Print them as one line of JSON.")
        private boolean json;

        public Show(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask("/access");
            JsonNode refused = reply.path("refused");
            if (json) {
                terminal.out().println(refused);
            } else {
                for (JsonNode each : refused) {
                    terminal.out().println(each.path("network").asString("") + "  "
                            + RunningStorage.left(each.path("end"), reply.path("time")) + "  "
                            + RunningStorage.clean(each.path("reason")));
                }
                terminal.out().println(Reports.count(refused.size(), "refused network"));
            }
            return refused.isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
        }
    }

    /** {@code weir blocked remove}: the end of a refusal. */
    @Command(name = "remove",
            description = "Unblocks a network before its time. It is refused again if it is over the limit again.",
            exitCodeList = {
                "0:the network is no longer refused",
                ControlCommand.WRONG_USE,
                "4:the network is not refused, or the storage failed to do it",
                ControlCommand.NO_ANSWER})
    public static final class Remove extends StorageRequest {
        @Parameters(paramLabel = "NETWORK", description = "The network as weir blocked list prints it.")
        private String network = "";

        public Remove(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            storage.ask("/unblock?" + RunningStorage.operator() + "&network=" + RunningStorage.escaped(network));
            terminal.out().println("unblocked " + network);
            return ExitCode.OK;
        }
    }
}
