package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbackup"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
)

// What the operations guide promises of a second place.
const (
	copyHours = "0"                 // copies are made at 0 o'clock UTC
	copyLife  = 14 * 24 * time.Hour // for as long a copy is kept in the second place
	// Here it is only made, but until the next one is: that one has the files alone which have changed since.
	hereLife = 2 * 24 * time.Hour
)

// Backup is the stack that copies the data to a second place: a vault of AWS Backup in another region or account. It is
// made only where the settings name such a vault.
type Backup struct {
	Stack awscdk.Stack
	Here  string // the name of the vault through which the copies go
	There string // that of the vault in the second place
}

// NewBackup makes the stack: a plan for the main table and the files, the role by which AWS Backup reads them, and a
// vault. The pipeline is left out: of a day ago it would tell add-ons of what they have heard, and it is ten times as
// large. So are the counters, as when tables are restored.
func NewBackup(app awscdk.App, data *Data, settings Settings) *Backup {
	stack := newStack(app, settings, "-Backup", "The e-shop platform's copies of its data in a second place",
		awscdk.StackProps{})
	there := awsbackup.BackupVault_FromBackupVaultArn(stack, jsii.String("There"), &settings.BackupVault)
	backup := &Backup{Stack: stack, Here: "Eshop-" + settings.Environment, There: *there.BackupVaultName()}
	here := awsbackup.NewBackupVault(stack, jsii.String("Vault"), &awsbackup.BackupVaultProps{
		// AWS deletes no vault with a backup in it.
		BackupVaultName: &backup.Here, RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	plan := awsbackup.NewBackupPlan(stack, jsii.String("Plan"),
		&awsbackup.BackupPlanProps{BackupPlanName: &backup.Here, BackupVault: here})
	plan.AddRule(awsbackup.NewBackupPlanRule(&awsbackup.BackupPlanRuleProps{
		ScheduleExpression: awsevents.Schedule_Cron(&awsevents.CronOptions{
			Hour: jsii.String(copyHours), Minute: jsii.String("0")}),
		StartWindow: duration(time.Hour), DeleteAfter: duration(hereLife),
		CopyActions: &[]*awsbackup.BackupPlanCopyActionProps{
			{DestinationBackupVault: there, DeleteAfter: duration(copyLife)}},
	}))
	role := awsiam.NewRole(stack, jsii.String("Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("backup.amazonaws.com"), nil),
		ManagedPolicies: &[]awsiam.IManagedPolicy{awsiam.ManagedPolicy_FromAwsManagedPolicyName(
			jsii.String("AWSBackupServiceRolePolicyForS3Backup"))},
	})
	from := func(arn *string) awsbackup.BackupResource { return awsbackup.BackupResource_FromArn(arn) }
	plan.AddSelection(jsii.String("Data"), &awsbackup.BackupSelectionOptions{
		Role:      role, // CDK adds AWS's policy for tables
		Resources: &[]awsbackup.BackupResource{from(data.Tables[host.Main].TableArn()), from(data.Files.BucketArn())},
	})
	allow(role, "AwsSolutions-IAM4", "What AWS Backup asks of tables, buckets and vaults is AWS Backup's to say.")
	return backup
}
