package dev.weir.cli;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.cli.bench.BenchCommand;
import dev.weir.cli.client.DoctorCommand;
import dev.weir.cli.client.PingCommand;
import dev.weir.cli.client.StatCommand;
import dev.weir.cli.config.ConfigCommand;
import dev.weir.cli.control.BlockedCommand;
import dev.weir.cli.control.ControlCommand;
import dev.weir.cli.control.FindCommand;
import dev.weir.cli.control.KeysCommand;
import dev.weir.cli.control.SkipsCommand;
import dev.weir.cli.control.TopCommand;
import dev.weir.cli.control.UndoCommand;
import dev.weir.cli.control.WavesCommand;
import dev.weir.cli.credentials.KeypairCommand;
import dev.weir.cli.credentials.PasswordCommand;
import dev.weir.cli.demo.DemoCommand;
import dev.weir.cli.explain.ExplainCommand;
import dev.weir.cli.logging.LogProvider;
import dev.weir.cli.mail.CheckCommand;
import dev.weir.cli.mail.ForgetCommand;
import dev.weir.cli.mail.HashCommand;
import dev.weir.cli.mail.LearnCommand;
import dev.weir.cli.mail.TrialCommand;
import dev.weir.cli.maintenance.AdoptCommand;
import dev.weir.cli.maintenance.BackupCommand;
import dev.weir.cli.maintenance.CompactCommand;
import dev.weir.cli.maintenance.LogCommand;
import dev.weir.cli.maintenance.RepairCommand;
import dev.weir.cli.maintenance.VerifyCommand;
import dev.weir.cli.serve.ServeCommand;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.StandardOutput;
import dev.weir.cli.terminal.Terminal;
import dev.weir.cli.terminal.Version;
import dev.weir.cli.transfer.ExportCommand;
import dev.weir.cli.transfer.ImportCommand;
import dev.weir.cli.transfer.MirrorCommand;
import dev.weir.model.failure.Reason;
import dev.weir.os.NativeFolder;
import dev.weir.os.StandardError;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The command {@code weir}. */
@Command(name = "weir",
        description = "Finds mail that has been seen before: fuzzy hashes, storage and scanner compatible with Rspamd.",
        mixinStandardHelpOptions = true, versionProvider = Version.class, synopsisSubcommandLabel = "COMMAND")
public final class Main {
    /** The commands by their names, in the order of the help. */
    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("serve", ServeCommand.class);
        COMMANDS.put("learn", LearnCommand.class);
        COMMANDS.put("forget", ForgetCommand.class);
        COMMANDS.put("check", CheckCommand.class);
        COMMANDS.put("trial", TrialCommand.class);
        COMMANDS.put("hash", HashCommand.class);
        COMMANDS.put("explain", ExplainCommand.class);
        COMMANDS.put("ping", PingCommand.class);
        COMMANDS.put("stat", StatCommand.class);
        COMMANDS.put("bench", BenchCommand.class);
        COMMANDS.put("keypair", KeypairCommand.class);
        COMMANDS.put("pw", PasswordCommand.class);
        COMMANDS.put("log", LogCommand.class);
        COMMANDS.put("find", FindCommand.class);
        COMMANDS.put("undo", UndoCommand.class);
        COMMANDS.put("top", TopCommand.class);
        COMMANDS.put("keys", KeysCommand.class);
        COMMANDS.put("skips", SkipsCommand.class);
        COMMANDS.put("waves", WavesCommand.class);
        COMMANDS.put("blocked", BlockedCommand.class);
        COMMANDS.put("config", ConfigCommand.class);
        COMMANDS.put("verify", VerifyCommand.class);
        COMMANDS.put("repair", RepairCommand.class);
        COMMANDS.put("adopt", AdoptCommand.class);
        COMMANDS.put("compact", CompactCommand.class);
        COMMANDS.put("backup", BackupCommand.class);
        COMMANDS.put("mirror", MirrorCommand.class);
        COMMANDS.put("import", ImportCommand.class);
        COMMANDS.put("export", ExportCommand.class);
        COMMANDS.put("control", ControlCommand.class);
        COMMANDS.put("doctor", DoctorCommand.class);
        COMMANDS.put("demo", DemoCommand.class);
        COMMANDS.put("generate-completion", GenerateCompletion.class);
        COMMANDS.put("help", HelpCommand.class);
    }

    /** Commands that load none of the libraries for SQLite, zstd and Lua, and so need no folder to unpack them. */
    private static final Set<String> WITHOUT_NATIVES = Set.of("ping", "stat", "keypair", "pw", "control", "find",
            "undo", "top", "keys", "skips", "waves", "blocked", "generate-completion", "help");

    private Main() {}

    /** Runs one command and ends the process with its status, see {@link ExitCode}. */
    public static void main(String[] args) {
        // picocli looks at these types in each start, and no option has one.
        System.setProperty("picocli.converters.excludes", "java[.](sql|time)[.].*");
        // These streams carry file names, so they use UTF-8 in every locale.
        StandardOutput out = StandardOutput.to(new FileOutputStream(FileDescriptor.out));
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        int status;
        LogProvider.use();
        try {
            if (args.length > 0 && !WITHOUT_NATIVES.contains(args[0])) {
                nativeFolder(System.getenv()).ifPresent(
                        folder -> Runtime.getRuntime().addShutdownHook(new Thread(folder::close, "weir-natives")));
            }
            boolean interactive = isTerminal();
            status = run(new Terminal(System.in, out, err, interactive,
                    StandardError.isTerminal().orElse(interactive)), args);
        } catch (FailedException e) {
            err.println("weir: " + e.getMessage());
            status = e.exitCode();
        } catch (Error e) {
            // The JVM would exit with 1, which means "no mail matched".
            err.println("weir: internal error: " + Reason.of(e));
            status = ExitCode.SERVER;
        }
        out.flush();
        if (out.isGone()) {
            status = ExitCode.OUTPUT_GONE;
        } else if (out.checkError()) {
            err.println("weir: standard output cannot be written");
            status = ExitCode.worse(status, ExitCode.INPUT);
        }
        if (args.length > 0 && WITHOUT_NATIVES.contains(args[0])) {
            // They have nothing to clean up. An exit would open every library to look for a logger that notes it.
            Runtime.getRuntime().halt(status);
        }
        System.exit(status);
    }

    /** @throws FailedException if the folder that the operator chose is not usable */
    static Optional<NativeFolder> nativeFolder(Map<String, String> environment) {
        try {
            return NativeFolder.prepare(environment);
        } catch (IOException e) {
            throw new FailedException(ExitCode.USAGE,
                    NativeFolder.VARIABLE + "=" + NativeFolder.chosen(environment).map(Path::toString).orElse("")
                            + ": cannot hold native libraries: " + Reports.reason(e));
        }
    }

    // Without a terminal, some Java versions return null and others a console that is not a terminal.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /**
     * Runs one command without ending the process.
     *
     * @return the exit status, see {@link ExitCode}
     */
    static int run(Terminal terminal, String... args) {
        return commandLine(terminal, called(args)).execute(args);
    }

    /** Returns all commands, for programs that describe them. They read nothing and print nothing. */
    public static CommandLine commands() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        return commandLine(new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false));
    }

    /** Returns all commands, before one of them is run. */
    static CommandLine commandLine(Terminal terminal) {
        return commandLine(terminal, COMMANDS.keySet());
    }

    /**
     * Returns the command that the arguments call, or all commands if the others matter, as for help. Reading the
     * options of all commands takes most of the time of a short command.
     */
    private static Set<String> called(String... args) {
        boolean one = args.length > 0 && COMMANDS.containsKey(args[0])
                && !COMMANDS.get(args[0]).getName().startsWith("picocli.");
        return one ? Set.of(args[0]) : COMMANDS.keySet();
    }

    private static CommandLine commandLine(Terminal terminal, Set<String> names) {
        CommandLine weir = new CommandLine(new Main(), new TerminalFactory(terminal));
        names.forEach(name -> weir.addSubcommand(name, COMMANDS.get(name)));
        weir.getCommandSpec().usageMessage().commandListHeading("");
        weir.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::list);
        return weir
                .setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((e, arguments) -> {
                    terminal.error(UsageMistakes.sentence(e));
                    return ExitCode.USAGE;
                })
                .setExitCodeExceptionMapper(
                        e -> e instanceof CommandLine.ParameterException ? ExitCode.USAGE : ExitCode.SERVER)
                .setExecutionExceptionHandler((e, commandLine, parsed) -> {
                    if (!(e instanceof FailedException failed)) {
                        if (!terminal.draws()) {
                            throw e;
                        }
                        Path details = Files.createTempFile("weir-error", ".txt");
                        try (PrintStream out = new PrintStream(Files.newOutputStream(details), false,
                                StandardCharsets.UTF_8)) {
                            e.printStackTrace(out);
                        }
                        terminal.error("this is a bug in weir. Please report it with " + details);
                        return ExitCode.SERVER;
                    }
                    if (!terminal.isGone()) {
                        terminal.error(failed.getMessage());
                    }
                    return failed.exitCode();
                });
    }

    /** Hands the terminal to the commands that picocli creates. */
    private record TerminalFactory(Terminal terminal) implements CommandLine.IFactory {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            try {
                return type.getDeclaredConstructor(Terminal.class).newInstance(terminal);
            } catch (NoSuchMethodException e) {
                return CommandLine.defaultFactory().create(type);
            }
        }
    }
}
